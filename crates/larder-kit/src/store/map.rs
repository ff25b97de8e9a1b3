//! The reference store.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use larder_core::{Address, Clock, Fetched, Found, Moment, Removed, Store, Ttl};

use crate::lock;

/// A map behind a lock: the shortest [`Store`] that is right. Clones are the same store.
///
/// What has expired stays in memory until it is overwritten or removed.
#[derive(Clone)]
pub struct MapStore {
    clock: Clock,
    map: Arc<Mutex<Map>>,
}

type Map = HashMap<(String, Vec<u8>), (Bytes, Moment)>;

impl MapStore {
    /// An empty store by this clock.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            map: Arc::default(),
        }
    }

    fn found(&self, bytes: Bytes, ends: Moment) -> Fetched {
        let left = ends.since(self.clock.now());
        if left.is_zero() {
            return Fetched::Absent;
        }
        Fetched::Found(Found { bytes, left })
    }
}

impl Store for MapStore {
    type Error = Infallible;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, Infallible> {
        let kept = lock(&self.map).get(&owned(address)).cloned();
        Ok(kept.map_or(Fetched::Absent, |(bytes, ends)| self.found(bytes, ends)))
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), Infallible> {
        let ends = self.clock.now().after(ttl.duration());
        lock(&self.map).insert(owned(address), (bytes, ends));
        Ok(())
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, Infallible> {
        let removed = lock(&self.map).remove(&owned(address));
        let kept = removed.filter(|(_, ends)| *ends > self.clock.now());
        Ok(kept.map_or(Removed::Absent, |_| Removed::Removed))
    }
}

fn owned(address: Address<'_>) -> (String, Vec<u8>) {
    (address.cache().to_owned(), address.key().to_owned())
}

impl fmt::Debug for MapStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapStore").finish_non_exhaustive()
    }
}
