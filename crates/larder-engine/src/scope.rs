//! What holds for all cached calls inside a future: one byte of the thread that polls it.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::mode::Mode;

thread_local! {
    static SCOPE: Cell<Scope> = const { Cell::new(Scope(0)) };
}

/// The mode for the calls of a task, and whether anybody observes them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope(u8);

const OBSERVED: u8 = 1 << 7;

impl Scope {
    /// Of what this thread polls now.
    #[inline]
    pub(crate) fn here() -> Self {
        SCOPE.get()
    }

    #[inline]
    pub(crate) const fn is_observed(self) -> bool {
        self.0 & OBSERVED != 0
    }

    #[inline]
    pub(crate) const fn mode(self) -> Mode {
        Mode::from_bits(self.0)
    }

    pub(crate) const fn observed(self) -> Self {
        Self(self.0 | OBSERVED)
    }

    const fn under(self, mode: Mode) -> Self {
        Self(self.0 | mode.bits())
    }
}

/// Makes a scope this thread's until it is dropped, also by a panic.
pub(crate) struct Inside {
    outer: Scope,
}

impl Inside {
    pub(crate) fn enter(scope: Scope) -> Self {
        let outer = SCOPE.replace(scope);
        Self { outer }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        SCOPE.set(self.outer);
    }
}

/// Runs `future` with no cache: every cached call in it runs its function. The same as
/// [`under`]`(Mode::Off, future)`.
///
/// ```
/// # use larder_engine::{Cache, Larder, bypass};
/// # smol::block_on(async {
/// let deals: Cache<u64, u64> = Larder::builder().build()?.cache("deals").build()?;
/// deals.put(&5, 1).await;
/// let deal = || deals.get_or_load(&5, || async { 2 });
/// assert_eq!(deal().await?, 1);
/// assert_eq!(bypass(deal()).await?, 2);
/// assert_eq!(deal().await?, 1, "what is held was left alone");
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub fn bypass<F: Future>(future: F) -> Under<F> {
    under(Mode::Off, future)
}

/// Runs `future` with every cached call in it under a [`Mode`] at most.
///
/// It follows the task from thread to thread and nests: an inner one may restrict further and
/// lifts nothing. Calls inside a detached load or a spawned task belong to those and are under
/// theirs.
pub fn under<F: Future>(mode: Mode, future: F) -> Under<F> {
    Under { future, mode }
}

pin_project! {
    /// The future of [`under`] and [`bypass`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Under<F> {
        #[pin]
        future: F,
        mode: Mode,
    }
}

impl<F: Future> Future for Under<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _inside = Inside::enter(Scope::here().under(*this.mode));
        this.future.poll(context)
    }
}
