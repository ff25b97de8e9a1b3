//! What a load may keep anew.

use std::sync::Arc;

use larder_core::{Key, guard};
use larder_memory::{Entry, Rare, Renewal};

use super::{Looked, NearTier, Old};
use crate::load::Previous;

impl<V> Old<V> {
    /// As what a load may keep anew.
    pub(crate) fn previous(self) -> Option<Previous<V>> {
        let (value, renewal) = (self.value, self.renewal);
        renewal.map(|renewal| Previous::new(value, renewal))
    }
}

impl<K: Key, V: Send + Sync + 'static> NearTier<K, V> {
    /// What a load may keep anew, if all is known that it takes.
    pub(crate) fn previous(&self, key: &K) -> Option<Previous<V>> {
        match self.look(key) {
            Looked::Old(old) => old.previous(),
            Looked::Fresh(entry) | Looked::Due(entry) => {
                let renewal = renewal(&entry)?;
                Some(Previous::new(entry.value, renewal))
            }
            Looked::Failed(_) => None,
            Looked::Unusable(_) => guard!(OfferStands, None, self.whatever(key)),
        }
    }

    /// What is held, whether it may be used or not.
    #[cfg(larder_mutants)]
    fn whatever(&self, key: &K) -> Option<Previous<V>> {
        let entry = self.entries.peek(key)?;
        let renewal = renewal(&entry)?;
        Some(Previous::new(entry.value, renewal))
    }
}

/// What it takes to keep an entry anew. Of one that has tags, their names; one without needs nothing.
pub(super) fn renewal<V>(entry: &Entry<V>) -> Option<Arc<Renewal>> {
    let kept = entry.tags.rare().and_then(Rare::renewed_by);
    let bare = || Renewal {
        validator: Box::default(),
        tags: Vec::new(),
    };
    let untagged = || entry.tags.as_slice().is_empty().then(|| Arc::new(bare()));
    kept.cloned().or_else(untagged)
}
