//! What a cached function may return, decided by type.

mod loaded;
mod told;

use std::fmt::Display;
use std::sync::Arc;

use larder_core::LoadError;

/// Markers, one a shape: they keep the implementations apart, and inference finds them.
pub mod shape {
    /// `V`.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum Plain {}
    /// `Arc<V>`.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum Shared {}
    /// `Option` of a shape.
    #[derive(Debug)]
    pub struct Maybe<M>(std::marker::PhantomData<M>);
    /// `Result` of a shape.
    #[derive(Debug)]
    pub struct Fallible<M>(std::marker::PhantomData<M>);
    pub use super::loaded::Saying;

    /// Pairs of a key and a shape.
    #[derive(Debug)]
    pub struct Each<M>(std::marker::PhantomData<M>);
}

use shape::{Fallible, Maybe, Plain, Shared};

pub use loaded::Loaded;
pub use told::Told;

/// What a cache of `V` keeps: `V`, `Arc<V>`, or an `Option` of either, where `None` is absence.
///
/// `M` is inferred. Over a `Cache<_, Option<u8>>` an `Option<u8>` is the value itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be put into a cache of `{V}`",
    label = "expected `{V}` or `Arc<{V}>`, possibly in an `Option`",
    note = "a `{V}` is cloned for each caller, so it must be `Clone`; an `Arc<{V}>` need not"
)]
pub trait Keep<V, M>: Sized {
    /// Whether it can say absence.
    const ABSENCE: bool;

    /// The value to keep, or `None` for absence.
    fn keep(self) -> Option<Arc<V>>;

    /// The shape for what a cache holds; `None` if the cache holds absence and the shape cannot
    /// say it. `V` is cloned, `Arc<V>` is not.
    fn give(value: Option<Arc<V>>) -> Option<Self>;
}

impl<V: Clone> Keep<V, Plain> for V {
    const ABSENCE: bool = false;

    fn keep(self) -> Option<Arc<V>> {
        Some(Arc::new(self))
    }

    #[inline]
    fn give(value: Option<Arc<V>>) -> Option<Self> {
        value.map(Arc::unwrap_or_clone)
    }
}

impl<V> Keep<V, Shared> for Arc<V> {
    const ABSENCE: bool = false;

    fn keep(self) -> Option<Self> {
        Some(self)
    }

    #[inline]
    fn give(value: Option<Self>) -> Option<Self> {
        value
    }
}

/// `V` or `Arc<V>`, so that an `Option` of an `Option` is no absence of an absence.
pub trait One<V, M>: Keep<V, M> {}

impl<V: Clone> One<V, Plain> for V {}
impl<V> One<V, Shared> for Arc<V> {}

impl<V, M, A: One<V, M>> Keep<V, Maybe<M>> for Option<A> {
    const ABSENCE: bool = true;

    fn keep(self) -> Option<Arc<V>> {
        self.and_then(A::keep)
    }

    #[inline]
    fn give(value: Option<Arc<V>>) -> Option<Self> {
        match value {
            None => Some(None),
            some => A::give(some).map(Some),
        }
    }
}

/// What a loading function over a cache of `V` returns: a shape of [`Keep`], or a `Result` of one
/// with any error that can be shown and shared, through any alias. `M` is inferred.
#[diagnostic::on_unimplemented(
    message = "this cache holds `{V}`, and a cached function over it cannot return `{Self}`",
    label = "expected `{V}` or `Arc<{V}>`, possibly in an `Option` or a `Result`",
    note = "a `{V}` is cloned for each caller, so it must be `Clone`; an `Arc<{V}>` need not"
)]
pub trait Answer<V, M>: Sized {
    /// The shape without its `Result`.
    type Kept;

    /// Whether it can say an error.
    const FALLIBLE: bool;

    /// Whether it can say absence.
    const ABSENCE: bool;

    /// The answer without its `Result`, unless it is an error.
    fn ok(&self) -> Option<&Self::Kept>;

    /// What the cache keeps, or why there is nothing to keep.
    ///
    /// # Errors
    /// The function's own, with its text and itself inside.
    fn split(self) -> Result<Option<Arc<V>>, LoadError>;

    /// As [`split`](Self::split), with what was said of the result. Not for use by hand.
    ///
    /// # Errors
    /// As there.
    #[doc(hidden)]
    fn tell(self) -> Result<Told<V>, LoadError> {
        self.split().map(Told::of)
    }

    /// The answer for what a cache holds, as [`Keep::give`].
    fn answer(value: Option<Arc<V>>) -> Option<Self>;

    /// As [`answer`](Self::answer), without the `Result`.
    fn kept(value: Option<Arc<V>>) -> Option<Self::Kept>;
}

macro_rules! infallible {
    ($(<$($generic:ident),*> $marker:ty: $shape:ty where ($($bound:tt)*);)*) => {$(
        impl<V, $($generic),*> Answer<V, $marker> for $shape where $($bound)* {
            type Kept = Self;
            const FALLIBLE: bool = false;
            const ABSENCE: bool = <Self as Keep<V, $marker>>::ABSENCE;

            fn ok(&self) -> Option<&Self> {
                Some(self)
            }

            fn split(self) -> Result<Option<Arc<V>>, LoadError> {
                Ok(self.keep())
            }

            #[inline]
            fn answer(value: Option<Arc<V>>) -> Option<Self> {
                Self::give(value)
            }

            #[inline]
            fn kept(value: Option<Arc<V>>) -> Option<Self> {
                Self::give(value)
            }
        }
    )*};
}

infallible! {
    <> Plain: V where (V: Clone);
    <> Shared: Arc<V> where ();
    <M, A> Maybe<M>: Option<A> where (A: One<V, M>);
}

impl<V, M, A, E> Answer<V, Fallible<M>> for Result<A, E>
where
    A: Keep<V, M>,
    E: Display + Send + Sync + 'static,
{
    type Kept = A;
    const FALLIBLE: bool = true;
    const ABSENCE: bool = A::ABSENCE;

    fn ok(&self) -> Option<&A> {
        self.as_ref().ok()
    }

    fn split(self) -> Result<Option<Arc<V>>, LoadError> {
        self.map(A::keep).map_err(LoadError::source)
    }

    #[inline]
    fn answer(value: Option<Arc<V>>) -> Option<Self> {
        A::give(value).map(Ok)
    }

    #[inline]
    fn kept(value: Option<Arc<V>>) -> Option<A> {
        A::give(value)
    }
}
