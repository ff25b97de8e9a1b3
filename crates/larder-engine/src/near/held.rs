//! What is held of a key, for operators.

use larder_core::Key;

use super::{Looked, NearTier};
use crate::explain::Held;

impl<K: Key, V: Send + Sync + 'static> NearTier<K, V> {
    /// What is held, to be told; it is no use of the entry.
    pub(crate) fn held(&self, key: &K) -> Held {
        let Some(entry) = self.entries.peek(key) else {
            return match self.holds {
                true => Held::Nothing,
                false => Held::NoTier,
            };
        };
        let now = self.clock.now();
        let age = now.since(entry.freshness.ticket.at);
        match self.judge(entry) {
            Looked::Unusable(why) => Held::Unusable {
                why,
                age: Some(age),
            },
            Looked::Failed(error) => Held::Failed {
                kind: error.kind(),
                age,
            },
            Looked::Old(old) => Held::Old {
                absence: old.value.is_none(),
                age,
                past: now.since(old.fresh),
                left: old.until.since(now),
            },
            Looked::Fresh(entry) | Looked::Due(entry) => Held::Usable {
                absence: entry.value.is_none(),
                age,
                left: self.left(&entry, now),
                tags: entry.tags.as_slice().len(),
                tag_names: Vec::new(),
            },
        }
    }
}
