//! What a function that puts may return.

use std::sync::Arc;

use crate::answer::shape::{Fallible, Maybe, Plain, Shared};
use crate::answer::{Keep, One};

/// What a function that puts into a cache of `V` returns: a shape of [`Keep`], or a `Result` of one
/// with any error, which stays the function's. `M` is inferred.
#[diagnostic::on_unimplemented(
    message = "this cache holds `{V}`, and a function that puts into it cannot return `{Self}`",
    label = "expected `{V}` or `Arc<{V}>`, possibly in an `Option` or a `Result`",
    note = "a `{V}` is cloned for the cache, so it must be `Clone`; an `Arc<{V}>` need not"
)]
pub trait Puts<V, M>: Sized {
    /// The shape without its `Result`.
    type Kept;

    /// The answer without its `Result`, unless it is an error.
    fn ok(&self) -> Option<&Self::Kept>;

    /// What is put, `None` for absence; or the error again.
    ///
    /// # Errors
    /// The answer is one.
    fn value(self) -> Result<Option<Arc<V>>, Self>;

    /// The answer again, from what it put.
    fn given(value: Option<Arc<V>>) -> Option<Self>;
}

macro_rules! infallible {
    ($(<$($generic:ident),*> $marker:ty: $shape:ty where ($($bound:tt)*);)*) => {$(
        impl<V, $($generic),*> Puts<V, $marker> for $shape where $($bound)* {
            type Kept = Self;

            fn ok(&self) -> Option<&Self> {
                Some(self)
            }

            fn value(self) -> Result<Option<Arc<V>>, Self> {
                Ok(self.keep())
            }

            fn given(value: Option<Arc<V>>) -> Option<Self> {
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

impl<V, M, A: Keep<V, M>, E> Puts<V, Fallible<M>> for Result<A, E> {
    type Kept = A;

    fn ok(&self) -> Option<&A> {
        self.as_ref().ok()
    }

    fn value(self) -> Result<Option<Arc<V>>, Self> {
        match self {
            Ok(kept) => Ok(kept.keep()),
            error => Err(error),
        }
    }

    fn given(value: Option<Arc<V>>) -> Option<Self> {
        A::give(value).map(Ok)
    }
}
