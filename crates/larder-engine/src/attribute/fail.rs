//! How a failed load becomes the function's own answer.
//!
//! The way is chosen by the type of the answer, at the expansion, where it is known: a method call
//! on `&&&Fail` takes the first trait that fits, from [`FailByClone`] down to [`FailByPanic`]. A
//! trait with a blanket implementation could not do it: `E: Clone` and `anyhow::Error` would
//! overlap, because anyhow may become `Clone`.

use std::fmt;
use std::marker::PhantomData;

use larder_core::LoadError;

/// A failure of a function that returns `R`.
pub struct Fail<R>(PhantomData<fn() -> R>);

impl<R> Fail<R> {
    /// There is only one.
    pub const NEW: Self = Self(PhantomData);
}

impl<R> fmt::Debug for Fail<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fail")
    }
}

/// An error type that can say the cache's own failures.
#[diagnostic::on_unimplemented(
    message = "callers that share one load need to share its error, and `{Self}` cannot say the \
               cache's own failures (timed out, panicked, refused)",
    label = "`{Self}` is not `From<LoadError>`",
    note = "add a variant `Cache(#[from] larder::LoadError)`, or write `map_error = |error| …`"
)]
pub trait FromLoad: From<LoadError> {}

#[diagnostic::do_not_recommend]
impl<E: From<LoadError>> FromLoad for E {}

/// The function's own error is cloned for each caller.
pub trait FailByClone<R> {
    /// The answer.
    fn fail(&self, error: LoadError) -> R;
}

impl<T, E> FailByClone<Result<T, E>> for &&Fail<Result<T, E>>
where
    E: Clone + From<LoadError> + 'static,
{
    fn fail(&self, error: LoadError) -> Result<T, E> {
        Err(original(&error).unwrap_or_else(|| E::from(error)))
    }
}

/// Every caller gets the error inside a [`LoadError`], also a lone one: no variant that is seen
/// only as long as nobody waits.
pub trait FailByFrom<T, E> {
    /// The answer.
    fn fail(&self, error: LoadError) -> Result<T, E>
    where
        E: FromLoad;
}

impl<T, E> FailByFrom<T, E> for &Fail<Result<T, E>> {
    fn fail(&self, error: LoadError) -> Result<T, E>
    where
        E: FromLoad,
    {
        Err(E::from(error))
    }
}

/// An answer that cannot say an error.
pub trait FailByPanic<R> {
    /// Panics with the error's text.
    fn fail(&self, error: LoadError) -> R;
}

impl<R> FailByPanic<R> for Fail<R> {
    fn fail(&self, error: LoadError) -> R {
        panic!("{error}")
    }
}

/// The function's own error is cloned for each caller; the cache's own failures are mapped.
pub trait MapByClone<T, E> {
    /// The answer.
    fn map(&self, error: LoadError, map: impl FnOnce(LoadError) -> E) -> Result<T, E>;
}

impl<T, E: Clone + 'static> MapByClone<T, E> for &&Fail<Result<T, E>> {
    fn map(&self, error: LoadError, map: impl FnOnce(LoadError) -> E) -> Result<T, E> {
        Err(original(&error).unwrap_or_else(|| map(error)))
    }
}

/// Every error is mapped.
pub trait MapByCall<T, E> {
    /// The answer.
    fn map(&self, error: LoadError, map: impl FnOnce(LoadError) -> E) -> Result<T, E>;
}

impl<T, E> MapByCall<T, E> for &Fail<Result<T, E>> {
    fn map(&self, error: LoadError, map: impl FnOnce(LoadError) -> E) -> Result<T, E> {
        Err(map(error))
    }
}

/// No `Result`, nothing to map to: [`needs_result`] says so.
pub trait MapByNothing<R> {
    /// Panics; no code that compiles gets here.
    fn map<E>(&self, error: LoadError, map: impl FnOnce(LoadError) -> E) -> R;
}

impl<R> MapByNothing<R> for Fail<R> {
    fn map<E>(&self, error: LoadError, _: impl FnOnce(LoadError) -> E) -> R {
        panic!("{error}")
    }
}

fn original<E: Clone + 'static>(error: &LoadError) -> Option<E> {
    error.downcast_ref().cloned()
}

/// A function's answer that can say a failed load.
#[diagnostic::on_unimplemented(
    message = "this option needs a function that returns a `Result`, and `{Self}` is none",
    label = "`{Self}` cannot say that a load failed"
)]
pub trait Fallible {}

impl<T, E> Fallible for Result<T, E> {}

/// A function's answer that can say absence.
#[diagnostic::on_unimplemented(
    message = "this option is of absence, which `{Self}` cannot say",
    label = "an `Option` can: `None` is absence",
    note = "leave the option out, or return an `Option`"
)]
pub trait MayBeAbsent {}

impl<T> MayBeAbsent for Option<T> {}

impl<T, E> MayBeAbsent for Result<Option<T>, E> {}

/// Compiles for an `Option` only, also in a `Result`.
pub fn needs_option<R: MayBeAbsent>() {}

/// Compiles for a `Result` only.
pub fn needs_result<R: Fallible>() {}
