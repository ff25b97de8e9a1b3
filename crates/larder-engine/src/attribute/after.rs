//! What closures say of a loaded value.

use std::fmt::{self, Display};
use std::marker::PhantomData;

use larder_core::{Key, Lookup};

use super::{Evicting, PuttingByValue};
use crate::terms::After;

/// The type `R` that a function returns, without a value of it.
///
/// A method call on `&&Returns` takes [`ResultReturns`] where it fits, else [`AnyReturns`].
pub struct Returns<R>(PhantomData<fn() -> R>);

impl<R> Returns<R> {
    /// There is only one.
    pub const NEW: Self = Self(PhantomData);
}

impl<R> fmt::Debug for Returns<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returns")
    }
}

/// Of a `Result`: closures look at what is in `Ok`.
pub trait ResultReturns<T> {
    /// The closure, whose argument has a type from here on.
    fn closure<U, F: FnOnce(&T) -> U>(&self, closure: F) -> F;
}

impl<T, E> ResultReturns<T> for &Returns<Result<T, E>> {
    fn closure<U, F: FnOnce(&T) -> U>(&self, closure: F) -> F {
        closure
    }
}

/// Of any other type: closures look at all of it.
pub trait AnyReturns<R> {
    /// The closure, whose argument has a type from here on.
    fn closure<U, F: FnOnce(&R) -> U>(&self, closure: F) -> F;
}

impl<R> AnyReturns<R> for Returns<R> {
    fn closure<U, F: FnOnce(&R) -> U>(&self, closure: F) -> F {
        closure
    }
}

/// Calls a closure whose result may borrow from the value.
pub fn apply<'a, T, U, F: FnOnce(&'a T) -> U>(value: &'a T, closure: F) -> U {
    closure(value)
}

/// The text of one tag.
pub fn tag<T: Display + ?Sized>(tag: &T) -> String {
    tag.to_string()
}

/// The texts of tags.
pub fn tags<L>(tags: L) -> Vec<String>
where
    L: IntoIterator,
    L::Item: Display,
{
    tags.into_iter().map(|each| tag(&each)).collect()
}

/// What is said of a value where no option says anything.
pub fn nothing<T>(_: &T) -> After {
    After::default()
}

/// The type `K` of a cache's keys, so that a wrong key is reported as one.
pub struct Keyed<K>(PhantomData<fn() -> K>);

impl<K> Keyed<K> {
    /// Of what will be done to the cache.
    pub fn of<T: HasKey<Key = K>>(_: &T) -> Self {
        Self(PhantomData)
    }

    /// The owned key.
    pub fn owned<Q: Lookup<K> + ?Sized>(self, key: &Q) -> K {
        key.to_key()
    }
}

impl<K> fmt::Debug for Keyed<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keyed")
    }
}

/// What is about a cache's keys, perhaps under a condition.
pub trait HasKey {
    /// Of the cache.
    type Key: Key;
}

impl<T: HasKey> HasKey for Option<T> {
    type Key = T::Key;
}

impl<K: Key, V> HasKey for PuttingByValue<K, V> {
    type Key = K;
}

impl<K: Key, V> HasKey for Evicting<K, V> {
    type Key = K;
}
