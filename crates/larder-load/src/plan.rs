//! A load, checked and ready to run.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::schedule::Schedule;
use crate::target::Prepared;

/// What is done; every number is within its bounds.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) target: Prepared,
    pub(crate) users: usize,
    /// At most as many as users.
    pub(crate) threads: usize,
    pub(crate) rate: Option<f64>,
    pub(crate) warm_up: Duration,
    pub(crate) duration: Duration,
    pub(crate) requests: u64,
    /// Requests of one user.
    pub(crate) each: u64,
    pub(crate) timeout: Duration,
    pub(crate) connect_first: bool,
    /// How many samples are kept.
    pub(crate) keep: usize,
}

impl Plan {
    /// The users of one thread.
    pub(crate) fn share(&self, thread: usize) -> Range<usize> {
        let from = |thread| thread * self.users / self.threads;
        from(thread)..from(thread + 1)
    }

    pub(crate) fn schedule(&self, begin: Instant) -> Schedule {
        Schedule::new(begin, self.warm_up, self.duration, self.rate, self.requests)
    }
}
