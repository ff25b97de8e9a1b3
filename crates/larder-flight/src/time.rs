//! A runtime and its clock.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use larder_core::{BoxFuture, Clock, Moment, Runtime};

/// A runtime with its clock, which is asked for once.
pub(crate) struct Time {
    runtime: Arc<dyn Runtime>,
    clock: Clock,
}

impl Time {
    pub(crate) fn new(runtime: Arc<dyn Runtime>) -> Self {
        let clock = runtime.clock();
        Self { runtime, clock }
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// The moment `by` from now, never early: the clock may lie one step in the past.
    pub(crate) fn moment_in(&self, by: Duration) -> Moment {
        self.now().after(self.clock.step()).after(by)
    }

    pub(crate) fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.runtime.sleep(duration)
    }

    pub(crate) fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.runtime.spawn(task);
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.runtime.fmt(f)
    }
}
