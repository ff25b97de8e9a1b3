//! When keys were used last, for entries that end when nobody uses them.

use std::collections::BTreeMap;

use larder_core::Moment;

use super::{Asked, Life, State};

/// By life and key: when it was used last, or may have been.
#[derive(Default)]
pub(super) struct Used(BTreeMap<(Life, u64), Moment>);

impl Used {
    pub(super) fn last(&self, life: Life, key: u64) -> Option<Moment> {
        self.0.get(&(life, key)).copied()
    }
}

impl State {
    /// Whether a call that uses a key is under way at a life.
    pub(super) fn is_in_use(&self, life: Life, key: u64, keys: u64) -> bool {
        let mut open = self.calls.open.values();
        open.any(|(asked, _)| asked.life == life && asked.keys(keys).any(|used| used == key))
    }

    /// A call of some of `keys` keys has ended: nothing of it uses them after `at`.
    pub(super) fn uses(&mut self, asked: Asked, at: Moment, keys: u64) {
        for key in asked.keys(keys) {
            let used = self.used.0.entry((asked.life, key)).or_insert(at);
            *used = at.max(*used);
        }
    }
}
