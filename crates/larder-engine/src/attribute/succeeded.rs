//! Whether an answer is a success.

/// The answer of a function, looked at.
///
/// A method call on `&&Answered` takes [`ResultSucceeded`] where it fits, else [`AnySucceeded`].
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "built by the attributes")]
pub struct Answered<'a, R>(pub &'a R);

/// Of a `Result`: `Ok` is.
pub trait ResultSucceeded<'a, T> {
    /// What is in `Ok`.
    fn success(&self) -> Option<&'a T>;
}

impl<'a, T, E> ResultSucceeded<'a, T> for &Answered<'a, Result<T, E>> {
    fn success(&self) -> Option<&'a T> {
        self.0.as_ref().ok()
    }
}

/// Of any other type: every answer is.
pub trait AnySucceeded<'a, R> {
    /// All of it, always.
    fn success(&self) -> Option<&'a R>;
}

impl<'a, R> AnySucceeded<'a, R> for Answered<'a, R> {
    fn success(&self) -> Option<&'a R> {
        Some(self.0)
    }
}
