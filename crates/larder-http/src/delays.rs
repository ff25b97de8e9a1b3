//! The service that waits for others.

use std::sync::Arc;
use std::thread;

use larder_domain::SourceError;
use smol::lock::{Semaphore, SemaphoreGuardArc};

use crate::Upstream;

/// Answers that take as long as an upstream takes: awaited, or with the serving thread blocked.
///
/// Blocking work on the threads that serve everybody is a mistake, shown here on purpose: while the threads are blocked
/// nobody is served. So that no client can hold the service, both are bounded, and what is over a bound is refused at once.
/// Clones share the bounds.
#[derive(Debug, Clone)]
pub struct Delays {
    upstream: Arc<Upstream>,
    awaited: Arc<Semaphore>,
    blocked: Arc<Semaphore>,
}

/// A request within its bound.
#[derive(Debug)]
pub(crate) struct Admitted(#[expect(dead_code, reason = "held, not read")] SemaphoreGuardArc);

impl Delays {
    /// The longest delay that may be asked for, in seconds.
    pub const MOST: u64 = 30;

    /// Delays by `upstream`, of which `awaited` may be awaited at once, and `blocked` may block a thread each.
    ///
    /// As long as `blocked` is under the number of threads that serve, one is left for everybody else.
    pub fn new(upstream: Upstream, awaited: usize, blocked: usize) -> Self {
        Self {
            upstream: Arc::new(upstream),
            awaited: Arc::new(Semaphore::new(awaited)),
            blocked: Arc::new(Semaphore::new(blocked)),
        }
    }

    /// One more that is awaited, unless there are as many as may be.
    pub(crate) fn admit_awaited(&self) -> Option<Admitted> {
        self.awaited.try_acquire_arc().map(Admitted)
    }

    /// One more that blocks, unless there are as many as may be.
    pub(crate) fn admit_blocked(&self) -> Option<Admitted> {
        self.blocked.try_acquire_arc().map(Admitted)
    }

    /// Waits as everything else here does. Gives the name of the thread that it ended on.
    pub(crate) async fn wait(&self, seconds: u64, _: Admitted) -> Result<String, SourceError> {
        tracing::info!(seconds, thread = thread_name(), "awaiting the upstream");
        self.upstream.ask(seconds).await?;
        let thread = thread_name();
        tracing::info!(seconds, thread, "awaited the upstream");
        Ok(thread)
    }

    /// Blocks the calling thread. Gives its name.
    pub(crate) fn block(&self, seconds: u64, _: Admitted) -> Result<String, SourceError> {
        let thread = thread_name();
        tracing::info!(seconds, thread, "blocking for the upstream");
        smol::block_on(self.upstream.ask(seconds))?;
        tracing::info!(seconds, thread, "blocked for the upstream");
        Ok(thread)
    }
}

fn thread_name() -> String {
    thread::current().name().unwrap_or("unnamed").to_owned()
}
