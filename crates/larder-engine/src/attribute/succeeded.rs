//! Whether an answer is a success.

/// The answer of a function, looked at.
///
/// A method call on `&&Answered` takes [`ResultSucceeded`] where it fits, else [`AnySucceeded`].
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "built by the attributes")]
pub struct Answered<'a, R>(pub &'a R);

/// Of a `Result`: `Ok` is.
pub trait ResultSucceeded {
    /// Whether it is `Ok`.
    fn succeeded(&self) -> bool;
}

impl<T, E> ResultSucceeded for &Answered<'_, Result<T, E>> {
    fn succeeded(&self) -> bool {
        self.0.is_ok()
    }
}

/// Of any other type: every answer is.
pub trait AnySucceeded {
    /// Always.
    fn succeeded(&self) -> bool;
}

impl<R> AnySucceeded for Answered<'_, R> {
    fn succeeded(&self) -> bool {
        true
    }
}
