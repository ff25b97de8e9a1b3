//! What is kept under a key.

use std::fmt;
use std::sync::Arc;

use larder_core::{Moment, Ticket};
use quick_cache::Weighter;

use crate::TagSlots;

/// What is kept under a key: a value or a remembered absence, and what its freshness is judged by.
///
/// Cloning counts a reference; the value itself is never copied.
#[expect(
    clippy::exhaustive_structs,
    reason = "made field by field by the engine"
)]
pub struct Entry<V> {
    /// The value; `None` is an absence that was loaded and is remembered.
    pub value: Option<Arc<V>>,
    /// From when on the entry is expired.
    pub ends: Moment,
    /// What the load held that gave the entry.
    pub ticket: Ticket,
    /// The number of the stamp that an invalidation of the entry's key raises.
    pub slot: u32,
    /// The same for the value's tags.
    pub tags: TagSlots,
}

// By hand: a derived one would ask for `V: Clone`.
impl<V> Clone for Entry<V> {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            ends: self.ends,
            ticket: self.ticket,
            slot: self.slot,
            tags: self.tags.clone(),
        }
    }
}

/// Says whether there is a value, and never shows it.
impl<V> fmt::Debug for Entry<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Entry");
        out.field("value", &self.value.is_some());
        out.field("ends", &self.ends).field("ticket", &self.ticket);
        out.field("slot", &self.slot);
        out.field("tags", &self.tags).finish()
    }
}

/// An entry with its weight.
///
/// The weight is taken once and kept, so that no code of the user runs while a part of the map is
/// locked, and a weigher that changes its mind cannot unbalance the sums.
pub(crate) struct Kept<V> {
    pub(crate) entry: Entry<V>,
    pub(crate) weight: u32,
}

impl<V> Clone for Kept<V> {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            entry: self.entry.clone(),
            weight: self.weight,
        }
    }
}

#[derive(Clone)]
pub(crate) struct KeptWeight;

impl<K, V> Weighter<K, Kept<V>> for KeptWeight {
    #[inline]
    fn weight(&self, _: &K, kept: &Kept<V>) -> u64 {
        kept.weight.into()
    }
}
