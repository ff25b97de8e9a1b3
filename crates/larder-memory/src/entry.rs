//! What is kept under a key.

use std::fmt;
use std::sync::Arc;

use larder_core::{Moment, Ticket};
use quick_cache::Weighter;

use crate::TagSlots;

/// What is kept under a key: a value or a remembered absence, and what its freshness is judged by.
///
/// Cloning counts a reference, two for a value with tags; the value itself is never copied.
#[expect(
    clippy::exhaustive_structs,
    reason = "made field by field by the engine"
)]
pub struct Entry<V> {
    /// The value; `None` is an absence that was loaded and is remembered.
    pub value: Option<Arc<V>>,
    /// The numbers of the stamps that invalidations of the value's tags raise, and what few entries
    /// have.
    pub tags: TagSlots,
    /// What it is judged by beside the tags.
    pub freshness: Freshness,
}

/// What an entry is judged by at every use: one block of words, so that a hit copies it whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Freshness {
    /// From when on it takes a closer look to know whether it may be used: at its [`Rare`](crate::Rare) part, or
    /// else it is expired.
    pub ends: Moment,
    /// What the load held that gave the entry.
    pub ticket: Ticket,
    /// The number of the stamp that an invalidation of the entry's key raises.
    pub slot: u32,
    /// The map's own, in what would be padding.
    pub(crate) weight: u32,
}

impl Freshness {
    /// The freshness of an entry that is to be inserted.
    #[must_use]
    pub const fn new(ends: Moment, ticket: Ticket, slot: u32) -> Self {
        Self {
            ends,
            ticket,
            slot,
            weight: 0,
        }
    }
}

// By hand: a derived one would ask for `V: Clone`.
impl<V> Clone for Entry<V> {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            tags: self.tags.clone(),
            freshness: self.freshness,
        }
    }
}

/// Says whether there is a value, and never shows it.
impl<V> fmt::Debug for Entry<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Entry");
        out.field("value", &self.value.is_some());
        out.field("freshness", &self.freshness);
        out.field("tags", &self.tags).finish()
    }
}

/// Reads the weight that was taken when the entry was inserted.
///
/// It is taken once and kept, so that no code of the user runs while a part of the map is locked,
/// and a weigher that changes its mind cannot unbalance the sums.
#[derive(Clone)]
pub(crate) struct KeptWeight;

impl<K, V> Weighter<K, Entry<V>> for KeptWeight {
    #[inline]
    fn weight(&self, _: &K, entry: &Entry<V>) -> u64 {
        entry.freshness.weight.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What few entries have lies beside their tags, so that the others do not pay for it.
    #[test]
    fn an_entry_is_six_words() {
        assert_eq!(size_of::<Entry<[u64; 9]>>(), 48);
    }
}
