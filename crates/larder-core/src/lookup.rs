//! Finding a key by a borrowed form of it.

use std::borrow::Cow;
use std::hash::Hash;
use std::sync::Arc;

use crate::Key;

/// A form by which a key `K` is found: the key itself, a reference to it, or what it borrows as.
///
/// A hit by a `&str` allocates nothing; the owned key is made on a miss only. A trait of our own,
/// because `Borrow` and `Equivalent` cannot do it for tuples part by part.
///
/// # Contract
/// The hash of the form is the hash of the key it stands for, and [`same`](Self::same) is equality
/// with it. A form that breaks this misses; it never finds another key's entry.
///
/// ```
/// use larder_core::Lookup;
/// let key = ("EUR".to_owned(), 7_u64);
/// assert!(Lookup::<(String, u64)>::same(&("EUR", &7), &key));
/// ```
#[diagnostic::on_unimplemented(
    message = "this cache is keyed by `{K}`, and `{Self}` does not look one up",
    label = "expected a `{K}` or a borrowed form of it"
)]
pub trait Lookup<K: ?Sized>: Hash {
    /// Whether this form stands for `key`.
    fn same(&self, key: &K) -> bool;

    /// The key it stands for. Called on a miss only.
    fn to_key(&self) -> K
    where
        K: Sized;
}

macro_rules! itself {
    ($($type:ty),* $(,)?) => {$(
        impl Lookup<$type> for $type {
            #[inline]
            fn same(&self, key: &$type) -> bool {
                self == key
            }

            #[inline]
            fn to_key(&self) -> $type {
                self.clone()
            }
        }
    )*};
}

itself! {
    u8, i8, u16, i16, u32, i32, u64, i64, u128, i128, usize, isize, bool, char, (),
    String, Arc<str>, Box<str>, Cow<'static, str>,
}

macro_rules! by_str {
    ($($type:ty),*) => {$(
        impl Lookup<$type> for str {
            #[inline]
            fn same(&self, key: &$type) -> bool {
                *self == **key
            }

            fn to_key(&self) -> $type {
                self.to_owned().into()
            }
        }
    )*};
}

by_str!(String, Arc<str>, Box<str>, Cow<'static, str>);

impl Lookup<String> for Arc<str> {
    #[inline]
    fn same(&self, key: &String) -> bool {
        **self == **key
    }

    fn to_key(&self) -> String {
        self.as_ref().to_owned()
    }
}

impl<K, Q: Lookup<K> + ?Sized> Lookup<K> for &Q {
    #[inline]
    fn same(&self, key: &K) -> bool {
        (**self).same(key)
    }

    fn to_key(&self) -> K {
        (**self).to_key()
    }
}

impl<K, Q: Lookup<K>> Lookup<Option<K>> for Option<Q> {
    #[inline]
    fn same(&self, key: &Option<K>) -> bool {
        match (self, key) {
            (Some(form), Some(key)) => form.same(key),
            (form, key) => form.is_none() && key.is_none(),
        }
    }

    fn to_key(&self) -> Option<K> {
        self.as_ref().map(Q::to_key)
    }
}

// Sequences are not looked up part by part: std hashes a slice of integers in one piece, and a
// slice of references to integers one by one, so the hashes would differ.
impl<K: Key> Lookup<Vec<K>> for [K] {
    #[inline]
    fn same(&self, key: &Vec<K>) -> bool {
        self == key
    }

    fn to_key(&self) -> Vec<K> {
        self.to_vec()
    }
}

impl Lookup<Vec<String>> for [&str] {
    #[inline]
    fn same(&self, key: &Vec<String>) -> bool {
        self == key
    }

    fn to_key(&self) -> Vec<String> {
        self.iter().map(|&part| part.to_owned()).collect()
    }
}

impl<K: Key> Lookup<Self> for Vec<K> {
    #[inline]
    fn same(&self, key: &Self) -> bool {
        self == key
    }

    fn to_key(&self) -> Self {
        self.clone()
    }
}

impl<K: Key, const N: usize> Lookup<Self> for [K; N] {
    #[inline]
    fn same(&self, key: &Self) -> bool {
        self == key
    }

    fn to_key(&self) -> Self {
        self.clone()
    }
}

macro_rules! tuples {
    ($(($($key:ident $form:ident $index:tt),*))*) => {$(
        impl<$($key, $form: Lookup<$key>),*> Lookup<($($key,)*)> for ($($form,)*) {
            #[inline]
            fn same(&self, key: &($($key,)*)) -> bool {
                $(self.$index.same(&key.$index))&&*
            }

            fn to_key(&self) -> ($($key,)*) {
                ($(self.$index.to_key(),)*)
            }
        }
    )*};
}

tuples! {
    (A P 0)
    (A P 0, B Q 1)
    (A P 0, B Q 1, C R 2)
    (A P 0, B Q 1, C R 2, D S 3)
    (A P 0, B Q 1, C R 2, D S 3, E T 4)
    (A P 0, B Q 1, C R 2, D S 3, E T 4, F U 5)
    (A P 0, B Q 1, C R 2, D S 3, E T 4, F U 5, G V 6)
    (A P 0, B Q 1, C R 2, D S 3, E T 4, F U 5, G V 6, H W 7)
}
