//! Counts that can be waited for.

use std::sync::{Condvar, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use larder_redis::Ear;

/// Hands on what it hears, and tells when the subscription stands.
pub(super) struct Forward {
    pub(super) ear: Weak<dyn Ear>,
    pub(super) ready: Marks,
}

impl Ear for Forward {
    fn message(&self, payload: Bytes) {
        if let Some(ear) = self.ear.upgrade() {
            ear.message(payload);
        }
    }

    fn lost(&self) {
        if let Some(ear) = self.ear.upgrade() {
            ear.lost();
        }
    }

    fn ready(&self) {
        if let Some(ear) = self.ear.upgrade() {
            ear.ready();
        }
        self.ready.reached();
    }
}

/// How often something has happened, of how often it will have.
#[derive(Default)]
pub(super) struct Marks {
    state: Mutex<(usize, usize)>,
    reached: Condvar,
}

impl Marks {
    /// Waits until it has happened so many times more than was waited for before.
    pub(super) fn wait(&self, more: usize) {
        let mut state = self.state.lock().unwrap();
        state.0 += more;
        let late = Duration::from_secs(30);
        let missing = |(wanted, reached): &mut (usize, usize)| reached < wanted;
        let wait = self.reached.wait_timeout_while(state, late, missing);
        assert!(!wait.unwrap().1.timed_out(), "nothing was heard for long");
    }

    fn reached(&self) {
        self.state.lock().unwrap().1 += 1;
        self.reached.notify_all();
    }
}

impl Ear for Marks {
    fn message(&self, _: Bytes) {
        self.reached();
    }

    fn lost(&self) {
        panic!("the subscription of a test broke");
    }

    fn ready(&self) {}
}
