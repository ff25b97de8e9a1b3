//! A place where futures wait until a test lets them through.

use std::fmt;
use std::sync::{Arc, Mutex};

use event_listener::Event;

use crate::lock;

/// A place where futures wait until a test lets them through; clones are the same gate.
///
/// It works between tasks and between threads alike.
///
/// ```
/// use futures_lite::future::{block_on, zip};
/// let gate = larder_kit::Gate::closed();
/// block_on(zip(gate.wait(), async {
///     gate.arrived(1).await;
///     gate.open();
/// }));
/// assert_eq!(gate.waiting(), 0);
/// ```
#[derive(Clone)]
pub struct Gate(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    opened: Event,
    arrived: Event,
}

struct State {
    open: bool,
    waiting: usize,
}

impl Gate {
    /// A gate that holds whoever comes.
    #[must_use]
    pub fn closed() -> Self {
        Self::new(false)
    }

    /// A gate that lets everybody through until it is closed.
    #[must_use]
    pub fn opened() -> Self {
        Self::new(true)
    }

    fn new(open: bool) -> Self {
        Self(Arc::new(Inner {
            state: Mutex::new(State { open, waiting: 0 }),
            opened: Event::new(),
            arrived: Event::new(),
        }))
    }

    /// Lets through all who wait and all who come.
    pub fn open(&self) {
        lock(&self.0.state).open = true;
        self.0.opened.notify(usize::MAX);
    }

    /// Holds whoever comes from now on, and who was let through but has not run since.
    pub fn close(&self) {
        lock(&self.0.state).open = false;
    }

    /// Whether it is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        lock(&self.0.state).open
    }

    /// How many wait here now.
    #[must_use]
    pub fn waiting(&self) -> usize {
        lock(&self.0.state).waiting
    }

    /// Ends when the gate is open. Counts as waiting from its first poll until its end or drop.
    pub async fn wait(&self) {
        if self.is_open() {
            return;
        }
        let _place = Place::take(self);
        loop {
            let opened = self.0.opened.listen();
            if self.is_open() {
                return;
            }
            opened.await;
        }
    }

    /// Ends when at least `count` wait here at the same time.
    pub async fn arrived(&self, count: usize) {
        loop {
            let arrived = self.0.arrived.listen();
            if self.waiting() >= count {
                return;
            }
            arrived.await;
        }
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Gate");
        out.field("open", &self.is_open());
        out.field("waiting", &self.waiting()).finish()
    }
}

/// One who waits at a gate.
struct Place<'a>(&'a Gate);

impl<'a> Place<'a> {
    fn take(gate: &'a Gate) -> Self {
        lock(&gate.0.state).waiting += 1;
        gate.0.arrived.notify(usize::MAX);
        Self(gate)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        lock(&self.0.0.state).waiting -= 1;
    }
}
