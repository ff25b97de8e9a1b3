//! Another server that takes over, with what had reached it by then.

use std::collections::VecDeque;

use bytes::Bytes;

use super::keyspace::{Kept, Keyspace};

/// A copy that follows the master some time behind.
#[derive(Debug)]
pub(super) struct Replica {
    keys: Keyspace,
    /// What the master did and the copy did not yet, with the millisecond.
    log: VecDeque<(u64, Bytes, Option<Kept>)>,
    /// How many milliseconds it is behind; `None` while nothing reaches it.
    lag: Option<u64>,
}

impl Replica {
    pub(super) const fn of(keys: Keyspace) -> Self {
        Self {
            keys,
            log: VecDeque::new(),
            lag: Some(0),
        }
    }

    /// Sets how far it is behind from now on.
    pub(super) fn set_lag(&mut self, lag: Option<u64>, now: u64) {
        self.follow(now);
        self.lag = lag;
    }

    /// The master did something.
    pub(super) fn note(&mut self, now: u64, name: &Bytes, kept: Option<&Kept>) {
        self.log.push_back((now, name.clone(), kept.cloned()));
        self.follow(now);
    }

    /// What the copy holds by now; what did not reach it is lost.
    pub(super) fn take_over(&mut self, now: u64) -> Keyspace {
        self.follow(now);
        self.log.clear();
        self.lag = Some(0);
        self.keys.clone()
    }

    /// The copy and all that is on its way to it are emptied.
    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.log.clear();
    }

    fn follow(&mut self, now: u64) {
        let Some(lag) = self.lag else {
            return;
        };
        while let Some((at, ..)) = self.log.front() {
            if at.saturating_add(lag) > now {
                return;
            }
            let (_, name, kept) = self.log.pop_front().unwrap_or_default();
            self.keys.set(&name, kept);
        }
    }
}
