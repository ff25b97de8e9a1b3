//! The runtime: time, tasks, blocking work and randomness.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::Clock;

/// A future behind a pointer, as object-safe traits need it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The only way a library crate of larder touches time, an executor or randomness.
///
/// Object safe. All methods but [`may_block`](Self::may_block) are required; of them
/// [`blocking`](Self::blocking) may refuse. The engine brings one on smol, the test kit one with virtual time.
pub trait Runtime: fmt::Debug + Send + Sync + 'static {
    /// The clock; asked once, when a cache is built.
    fn clock(&self) -> Clock;

    /// Ends after `duration`, by the clock of [`clock`](Self::clock). Dropping it cancels it.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Runs a task to its end, whoever has left meanwhile. It may be dropped unfinished when the
    /// runtime itself ends.
    fn spawn(&self, task: BoxFuture<'static, ()>);

    /// Runs work that blocks its thread, off the executor, in a pool with a bound.
    ///
    /// The work is accepted or refused when this is called, not when the future is polled. A
    /// dropped future does not stop work that was accepted.
    ///
    /// # Errors
    /// [`BlockingError::Busy`] at once when the bound is reached, [`BlockingError::Panicked`] when
    /// the work panicked.
    fn blocking(
        &self,
        work: Box<dyn FnOnce() + Send>,
    ) -> BoxFuture<'static, Result<(), BlockingError>>;

    /// Whether this thread may block: false on one that runs tasks, as far as the runtime knows its
    /// threads, for what would be waited for may need that very thread.
    fn may_block(&self) -> bool {
        true
    }

    /// Random bits; not for secrets.
    fn random(&self) -> u64;
}

/// Runs `work` on the runtime's pool for blocking work and gives its result.
///
/// # Errors
/// As [`Runtime::blocking`]. One box for the work, one for its result's slot.
pub async fn blocking<T: Send + 'static>(
    runtime: &dyn Runtime,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BlockingError> {
    let slot = Arc::new(Mutex::new(None));
    let filled = Arc::clone(&slot);
    let fill = move || {
        let value = work();
        *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    };
    runtime.blocking(Box::new(fill)).await?;
    let value = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    value.ok_or_else(|| BlockingError::Panicked("the pool dropped the work".into()))
}

/// Why blocking work gave no result.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockingError {
    /// The pool's bound is reached; nothing ran.
    Busy,
    /// The work panicked, with this text.
    Panicked(String),
}

impl BlockingError {
    /// The error for what `catch_unwind` gave.
    #[must_use]
    pub fn from_panic(payload: &(dyn Any + Send)) -> Self {
        Self::Panicked(crate::error::panic_text(payload))
    }
}

impl fmt::Display for BlockingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("the pool for blocking work is full"),
            Self::Panicked(text) => write!(f, "blocking work panicked: {text}"),
        }
    }
}

impl std::error::Error for BlockingError {}
