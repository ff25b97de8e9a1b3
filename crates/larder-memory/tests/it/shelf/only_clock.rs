//! A runtime that tells the time and no more.

use std::time::Duration;

use larder_core::{BlockingError, BoxFuture, Clock, Runtime};

/// A runtime that tells the time and no more: what a byte store needs of one.
#[derive(Debug)]
pub(super) struct OnlyClock(pub(super) Clock);

impl Runtime for OnlyClock {
    fn clock(&self) -> Clock {
        self.0.clone()
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        panic!("a byte store does not sleep")
    }

    fn spawn(&self, _: BoxFuture<'static, ()>) {
        panic!("a byte store has no tasks")
    }

    fn blocking(
        &self,
        _: Box<dyn FnOnce() + Send>,
    ) -> BoxFuture<'static, Result<(), BlockingError>> {
        panic!("a byte store has no blocking work")
    }

    fn random(&self) -> u64 {
        7
    }
}
