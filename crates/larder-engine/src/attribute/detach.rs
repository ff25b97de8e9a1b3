//! Arguments of a call that its load outlives.

use std::borrow::Borrow;
use std::fmt;

/// An argument behind a reference that a detached load can own.
#[diagnostic::on_unimplemented(
    message = "a detached load outlives its caller, so a `&{Self}` is cloned to its owned form, \
               and `{Self}` has none that is `Send + 'static`",
    label = "the load cannot own this",
    note = "implement `Clone`, or take an `Arc<{Self}>` by value"
)]
pub trait DetachArg {
    /// The owned form.
    type Owned: Borrow<Self> + Send + 'static;

    /// Clones the argument, on a miss only.
    fn to_detached(&self) -> Self::Owned;
}

#[diagnostic::do_not_recommend]
impl<T> DetachArg for T
where
    T: ToOwned + ?Sized,
    T::Owned: Send + 'static,
{
    type Owned = T::Owned;

    fn to_detached(&self) -> T::Owned {
        self.to_owned()
    }
}

/// The owned form `O` of a `T` inside a load.
///
/// It holds the way back, so that a type without an owned form is reported once.
pub struct Detached<O, T: ?Sized> {
    owned: O,
    borrow: fn(&O) -> &T,
}

impl<O, T: ?Sized> Detached<O, T> {
    /// What the body sees under the argument's name.
    pub fn attach(&self) -> &T {
        (self.borrow)(&self.owned)
    }
}

impl<O, T: ?Sized> fmt::Debug for Detached<O, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Detached")
    }
}

/// Takes an argument into a load.
pub fn detach<T: DetachArg + ?Sized>(argument: &T) -> Detached<T::Owned, T> {
    Detached {
        owned: argument.to_detached(),
        borrow: T::Owned::borrow,
    }
}

/// A `self` that a detached load can own.
#[diagnostic::on_unimplemented(
    message = "a detached load outlives its caller, so `&self` must be `Clone + Send + 'static`, \
               and `{Self}` is not",
    label = "the load cannot own this",
    note = "derive `Clone` (cheap where the fields are `Arc`s), or take `self: Arc<Self>`, or \
            cache a function that takes as arguments what the body needs"
)]
pub trait DetachSelf: Sized {
    /// Clones `self`, on a miss only.
    fn to_detached(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone + Send + 'static> DetachSelf for T {
    fn to_detached(&self) -> Self {
        self.clone()
    }
}

/// The owned `self` inside a load.
#[derive(Debug)]
pub struct DetachedSelf<T>(T);

impl<T> DetachedSelf<T> {
    /// What the body sees as `self`.
    pub fn attach(&self) -> &T {
        &self.0
    }
}

/// Takes `self` into a load.
pub fn detach_self<T: DetachSelf>(this: &T) -> DetachedSelf<T> {
    DetachedSelf(this.to_detached())
}
