//! The runtime on smol.

mod busy;
mod deadlines;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use larder_core::{BlockingError, BoxFuture, Clock, Runtime};
use larder_flight::Limit;
use smol::{Executor, Timer};

use self::busy::Busy;
use crate::build_error::BuildError;

/// Who sleeps at least so long waits for a deadline, and may wake some milliseconds late.
const DEADLINE: Duration = Duration::from_millis(50);

/// The runtime on smol: timers of `async-io`, tasks on an executor, blocking work on smol's pool.
///
/// Clones share the bound on blocking work.
#[derive(Clone)]
pub struct Smol {
    executor: Option<&'static Executor<'static>>,
    blocking: Arc<Limit>,
}

impl Smol {
    /// Pieces of blocking work that may wait or run at once, unless set otherwise: as many loads as a
    /// cache has at most, so that what blocks fills neither memory nor smol's pool of 500 threads.
    pub const BLOCKING: usize = 256;

    /// Tasks run on smol's global executor, whose threads smol starts (`SMOL_THREADS`, else one).
    #[must_use]
    pub fn global() -> Self {
        Self::with(None)
    }

    /// Tasks run on `executor`, by whatever threads run it. If none does, no load ever runs: calls
    /// end by their deadline.
    #[must_use]
    pub fn on(executor: &'static Executor<'static>) -> Self {
        Self::with(Some(executor))
    }

    fn with(executor: Option<&'static Executor<'static>>) -> Self {
        Self {
            executor,
            blocking: Arc::new(Limit::new(Self::BLOCKING)),
        }
    }

    /// Sets how many pieces of blocking work may wait or run at once, at least 1; one more is
    /// refused.
    ///
    /// # Errors
    /// It is zero, so that all would be refused.
    pub fn blocking_limit(mut self, most: usize) -> Result<Self, BuildError> {
        if most == 0 {
            return Err(BuildError::new("blocking_limit", "must not be zero"));
        }
        self.blocking = Arc::new(Limit::new(most));
        Ok(self)
    }
}

impl fmt::Debug for Smol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Smol");
        out.field("own_executor", &self.executor.is_some());
        out.finish_non_exhaustive()
    }
}

impl Runtime for Smol {
    fn clock(&self) -> Clock {
        Clock::monotonic()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        if duration >= DEADLINE {
            return Box::pin(deadlines::sleep(duration));
        }
        Box::pin(async move {
            Timer::after(duration).await;
        })
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        let task = Busy(task);
        match self.executor {
            Some(executor) => executor.spawn(task).detach(),
            None => smol::spawn(task).detach(),
        }
    }

    fn blocking(
        &self,
        work: Box<dyn FnOnce() + Send>,
    ) -> BoxFuture<'static, Result<(), BlockingError>> {
        let Some(permit) = self.blocking.try_acquire() else {
            return Box::pin(async { Err(BlockingError::Busy) });
        };
        let (done, ended) = smol::channel::bounded(1);
        let run = move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            drop(permit);
            // Nobody may be waiting any more.
            let _ = done.try_send(result.map_err(|panic| BlockingError::from_panic(&*panic)));
        };
        smol::unblock(run).detach();
        Box::pin(async move {
            let lost = || BlockingError::Panicked("the pool dropped the work".into());
            ended.recv().await.unwrap_or_else(|_| Err(lost()))
        })
    }

    /// False inside a task of this runtime, and on the threads of smol's global executor. Threads
    /// that run an executor of the program's own look like any other outside of such tasks.
    fn may_block(&self) -> bool {
        !Busy::here()
    }

    fn random(&self) -> u64 {
        fastrand::u64(..)
    }
}
