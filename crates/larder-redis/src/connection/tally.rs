//! Counting.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ConnectError;
use crate::health::ConnectionCounts;

/// What is counted, behind a lock: none of it is counted where a request goes well.
#[derive(Debug, Default)]
pub(super) struct Tally(Mutex<ConnectionCounts>);

impl Tally {
    pub(super) fn read(&self) -> ConnectionCounts {
        self.lock().clone()
    }

    pub(super) fn connected(&self) {
        self.lock().connected += 1;
    }

    pub(super) fn listening(&self) {
        self.lock().listening += 1;
    }

    pub(super) fn failed(&self, why: &ConnectError) {
        *self.lock().failed.entry(why.kind()).or_default() += 1;
    }

    pub(super) fn replaced(&self, why: &ConnectError) {
        *self.lock().replaced.entry(why.kind()).or_default() += 1;
    }

    pub(super) fn given_up(&self) {
        self.lock().given_up += 1;
    }

    pub(super) fn unavailable(&self) {
        self.lock().unavailable += 1;
    }

    pub(super) fn refused(&self) {
        self.lock().refused += 1;
    }

    /// How often a connection was left for answers out of step.
    pub(super) fn distrusted(&self) {
        self.lock().distrusted += 1;
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
