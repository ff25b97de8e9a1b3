//! The way back of a source that was not run.

use std::sync::{Arc, Mutex, PoisonError};

/// Where the leader gets its source back.
pub(crate) struct Back<S>(Arc<Mutex<Option<S>>>);

impl<S> Back<S> {
    pub(super) fn new() -> Self {
        Self(Arc::default())
    }

    /// The same place, for the load.
    pub(super) fn again(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    pub(super) fn put(&self, source: S) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(source);
    }

    /// The source, for a leader who was given what is old.
    pub(super) fn take(&self) -> S {
        let source = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        source.expect("an old answer brings the source back")
    }
}
