//! What the load of several keys knows before its end.

use std::fmt;
use std::mem;
use std::sync::{Arc, PoisonError};

use larder_core::LoadError;
use larder_core::sync::Mutex;

/// Where the load of several keys says what it knows of some before it knows all: see
/// [`Leads::start`](crate::Leads::start).
pub struct Early<T>(Arc<Mutex<Vec<Given<T>>>>);

/// The place of a key among those of the load, and its result.
type Given<T> = (usize, Result<T, LoadError>);

impl<T> Early<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Vec::new())))
    }

    /// The same place, for the load.
    pub(crate) fn again(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    /// Gives the result of the key at `at`, counted from 0 in the order in which the keys were
    /// entered: its flight ends when the load waits the next time, and those who wait for it go on.
    ///
    /// The first result of a key counts; one of a key that the load is not for is dropped.
    pub fn give(&self, at: usize, result: Result<T, LoadError>) {
        let mut given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        given.push((at, result));
    }

    pub(crate) fn take(&self) -> Vec<Given<T>> {
        mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> fmt::Debug for Early<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Early")
    }
}
