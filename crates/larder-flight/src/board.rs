//! The running flights of one cache, by key.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError};

use larder_core::sync::{Mutex, MutexGuard};

use crate::flight::Flight;
use crate::stamps::Slot;

/// The running flights of one cache, in shards by slot.
///
/// Of the user's code only a key's `Eq` runs under a shard's lock, and a panic in it leaves nothing
/// half done. A flight is taken off by its place, which asks the key nothing.
pub(crate) struct Board<K, V> {
    shards: [Mutex<Shard<K, V>>; SHARDS],
}

/// Some flights, those of one slot side by side. A key is here more than once while a flight that
/// must not be joined any more is running to its end.
pub(crate) struct Shard<K, V> {
    flights: BTreeMap<Place, Posted<K, V>>,
    /// How many were ever posted here.
    posted: u64,
}

/// Where a flight lies: its key's slot, and its number in the shard.
pub(crate) type Place = (Slot, u64);

/// A flight with its key.
pub(crate) struct Posted<K, V> {
    key: K,
    flight: Arc<Flight<V>>,
}

const SHARDS: usize = 16;

impl<K, V> Board<K, V> {
    pub(crate) fn new() -> Self {
        let shard = || Shard {
            flights: BTreeMap::new(),
            posted: 0,
        };
        let shards = std::array::from_fn(|_| Mutex::new(shard()));
        Self { shards }
    }

    pub(crate) fn lock(&self, slot: Slot) -> MutexGuard<'_, Shard<K, V>> {
        let shard = &self.shards[slot.index() as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a flight off. What is given back is to be dropped when the lock is free again.
    pub(crate) fn remove(&self, place: Place) -> Option<Posted<K, V>> {
        self.lock(place.0).flights.remove(&place)
    }
}

impl<K: Eq, V> Shard<K, V> {
    /// The newest flight of `key` that fits.
    pub(crate) fn find(
        &self,
        slot: Slot,
        key: &K,
        fits: impl Fn(&Flight<V>) -> bool,
    ) -> Option<Arc<Flight<V>>> {
        let posted = self.flights.range((slot, 0)..=(slot, u64::MAX)).rev();
        let mut flights = posted.filter(|(_, posted)| posted.key == *key);
        let found = flights.find(|(_, posted)| fits(&posted.flight))?.1;
        Some(Arc::clone(&found.flight))
    }

    pub(crate) fn insert(&mut self, slot: Slot, key: K, flight: Arc<Flight<V>>) -> Place {
        self.posted += 1;
        let place = (slot, self.posted);
        self.flights.insert(place, Posted { key, flight });
        place
    }
}

impl<K, V> fmt::Debug for Board<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Board").finish_non_exhaustive()
    }
}
