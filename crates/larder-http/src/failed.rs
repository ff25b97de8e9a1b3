//! Loads that failed.

use larder::{LoadError, LoadErrorKind};
use larder_domain::{SourceError, SourceErrorKind};

/// The source's own error, or the cache's in its words.
pub(crate) fn failed(error: LoadError) -> SourceError {
    if let Some(error) = error.downcast_ref::<SourceError>() {
        return error.clone();
    }
    let kind = match error.kind() {
        LoadErrorKind::TimedOut => SourceErrorKind::TimedOut,
        LoadErrorKind::Refused => SourceErrorKind::Overloaded,
        LoadErrorKind::Far => SourceErrorKind::Unavailable,
        _ => SourceErrorKind::Broken,
    };
    SourceError::new(kind, error)
}
