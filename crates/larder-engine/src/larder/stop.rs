//! The end of what runs in the background.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use event_listener::Event;
use larder_core::{LoadError, LoadErrorKind};

/// Whether a larder shuts down: no refresh starts then, and those that run end.
pub(crate) struct Stop {
    set: AtomicBool,
    changed: Event,
}

impl Stop {
    pub(super) fn new() -> Self {
        Self {
            set: AtomicBool::new(false),
            changed: Event::new(),
        }
    }

    pub(super) fn set(&self) {
        self.set.store(true, Ordering::Release);
        self.changed.notify(usize::MAX);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.set.load(Ordering::Acquire)
    }

    /// Waits for it, and gives what those hear who have joined a refresh: to load for themselves.
    pub(crate) async fn wait(&self) -> LoadError {
        loop {
            let changed = self.changed.listen();
            if self.is_set() {
                let text = "the refresh has ended, because the larder shuts down";
                return LoadError::new(LoadErrorKind::HandedOver, text);
            }
            changed.await;
        }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.is_set()).finish()
    }
}
