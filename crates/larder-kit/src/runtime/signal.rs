//! How a driver learns that something was woken.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Wake, Waker};

use crate::lock;

/// Counts what was woken, and lets a driver wait for the next.
#[derive(Default)]
pub(super) struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    count: u64,
    outsiders: usize,
}

impl Signal {
    pub(super) fn count(&self) -> u64 {
        lock(&self.state).count
    }

    pub(super) fn raise(&self) {
        lock(&self.state).count += 1;
        self.changed.notify_all();
    }

    /// Waits until something was woken after `seen`, as long as anybody outside could; `false` if
    /// nobody can.
    pub(super) fn wait_outside(&self, seen: u64) -> bool {
        let mut state = lock(&self.state);
        while state.count == seen && state.outsiders > 0 {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.count != seen
    }
}

/// Another thread takes part in a [`Virtual`](crate::Virtual) runtime, until this is dropped; made
/// by [`Virtual::outside`](crate::Virtual::outside).
#[must_use = "dropped at once it says nothing"]
pub struct Outside(Arc<Signal>);

impl Outside {
    pub(super) fn new(signal: &Arc<Signal>) -> Self {
        lock(&signal.state).outsiders += 1;
        Self(Arc::clone(signal))
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        lock(&self.0.state).outsiders -= 1;
        self.0.changed.notify_all();
    }
}

impl std::fmt::Debug for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outside")
    }
}

/// Whether the future that a driver was given is to be polled.
pub(super) struct Flag {
    up: AtomicBool,
    signal: Arc<Signal>,
}

impl Flag {
    pub(super) fn raised(signal: &Arc<Signal>) -> (Arc<Self>, Waker) {
        let flag = Arc::new(Self {
            up: AtomicBool::new(true),
            signal: Arc::clone(signal),
        });
        (Arc::clone(&flag), Waker::from(flag))
    }

    /// Lowers the flag, and says if it was up.
    pub(super) fn lower(&self) -> bool {
        self.up.swap(false, Ordering::AcqRel)
    }
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.up.store(true, Ordering::Release);
        self.signal.raise();
    }
}
