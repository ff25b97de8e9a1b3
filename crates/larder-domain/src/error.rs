//! Why a source could not answer.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A source could not answer. One word in size, and cheap to clone: all who wait for one load get the same error.
///
/// Its text is the cause's, which [`source`](Error::source) gives as well; it is for logs, not for users.
#[derive(Clone)]
pub struct SourceError(Arc<Failure>);

/// What a caller can do about a [`SourceError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceErrorKind {
    /// The source cannot be reached or refuses to work; later it may.
    Unavailable,
    /// More is asked of the source than it takes at once; soon it will again.
    Overloaded,
    /// No answer came in time.
    TimedOut,
    /// The source or the code that asked it is wrong; the same question will fail again.
    Broken,
}

struct Failure {
    kind: SourceErrorKind,
    cause: Box<dyn Error + Send + Sync>,
}

impl SourceError {
    /// An error of a kind, with its cause. Allocates.
    pub fn new(kind: SourceErrorKind, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let cause = cause.into();
        Self(Arc::new(Failure { kind, cause }))
    }

    /// [`SourceErrorKind::Unavailable`], with its cause.
    pub fn unavailable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(SourceErrorKind::Unavailable, cause)
    }

    /// What can be done about it.
    pub fn kind(&self) -> SourceErrorKind {
        self.0.kind
    }
}

impl fmt::Debug for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceError")
            .field("kind", &self.0.kind)
            .field("cause", &self.0.cause)
            .finish()
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.cause.fmt(f)
    }
}

impl Error for SourceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0.cause)
    }
}
