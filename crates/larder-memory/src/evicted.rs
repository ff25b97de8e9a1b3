//! What the map gives up.

use std::fmt;

use quick_cache::Lifecycle;

use crate::entry::Entry;

/// What an insertion pushed out of the map: the entry that was replaced and those that were
/// evicted, if any. They are dropped with it.
pub struct Displaced<K, V> {
    pub(crate) entries: Vec<(K, Entry<V>)>,
    pub(crate) refused: bool,
    pub(crate) evicted: usize,
}

impl<K, V> Displaced<K, V> {
    /// Whether what was inserted is itself not kept, because it is too heavy for the bound.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        self.refused
    }

    /// How many entries of other keys had to give way.
    #[must_use]
    pub const fn evicted(&self) -> usize {
        self.evicted
    }
}

impl<K, V> fmt::Debug for Displaced<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Displaced");
        out.field("entries", &self.entries.len());
        out.field("refused", &self.refused).finish()
    }
}

/// Carries what an insertion pushes out to where no part of the map is locked.
pub(crate) struct Evicted;

impl Clone for Evicted {
    fn clone(&self) -> Self {
        Self
    }
}

impl<K, E> Lifecycle<K, E> for Evicted {
    type RequestState = Vec<(K, E)>;

    fn on_evict(&self, state: &mut Self::RequestState, key: K, entry: E) {
        state.push((key, entry));
    }
}
