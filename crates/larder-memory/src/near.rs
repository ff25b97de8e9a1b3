//! The entries of one cache.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use larder_core::{Key, Lookup};
use quick_cache::sync::Cache;

use crate::entry::KeptWeight;
use crate::evicted::{Displaced, Evicted};
use crate::probe::Probe;
use crate::{Bound, Entry, Freshness};

/// The entries of one cache, by key.
///
/// Every method may be called from any thread; each locks one part of the map at a time and for a
/// short time. Values are dropped under no lock. Keys are compared and hashed under one, so a key
/// whose `Eq` or `Hash` panics makes all later calls panic that meet its part of the map.
///
/// Hashes are seeded at random for each map, so nobody can choose keys that collide.
///
/// ```
/// use std::sync::Arc;
/// use larder_core::{Moment, Ticket};
/// use larder_memory::{Bound, Entry, Freshness, Near, TagSlots};
///
/// let near: Near<String, u32> = Near::new(Bound::Entries(100));
/// let ticket = Ticket { clock: 0, at: Moment::from_nanos(0) };
/// let freshness = Freshness::new(Moment::from_nanos(1_000), ticket, 0);
/// let (value, tags) = (Some(Arc::new(7)), TagSlots::default());
/// near.insert("a".into(), Entry { value, tags, freshness });
/// assert_eq!(near.get("a").and_then(|entry| entry.value), Some(Arc::new(7)));
/// assert!(near.get("b").is_none());
/// ```
pub struct Near<K, V> {
    map: Map<K, V>,
    bound: Bound<K, V>,
}

type Map<K, V> = Cache<K, Entry<V>, KeptWeight, RandomState, Evicted>;

impl<K: Key, V: Send + Sync + 'static> Near<K, V> {
    /// An empty map with this bound. It grows as it fills, and allocates little before.
    #[must_use]
    pub fn new(bound: Bound<K, V>) -> Self {
        let hashes = RandomState::default();
        let map = Cache::with_options(bound.options(), KeptWeight, hashes, Evicted);
        Self { map, bound }
    }

    /// The entry of a key, fresh or not: that is the caller's to judge. Counts as a use of it.
    ///
    /// Allocates nothing; takes a read lock.
    #[inline(always)]
    pub fn get<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Option<Entry<V>> {
        self.map.get(&Probe(key))
    }

    /// As [`get`](Self::get), and no use of it: what is evicted next stays the same.
    pub fn peek<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Option<Entry<V>> {
        self.map.peek(&Probe(key))
    }

    /// Keeps `entry` in place of the one that was there, if any, and evicts what the bound demands.
    ///
    /// An entry too heavy for the bound is not kept, and the one that it should replace is gone as
    /// well. A panic of the weigher leaves everything as it was.
    ///
    /// Gives what had to go, for a caller that holds a lock of its own: dropping a value may take
    /// long, panic, or come back.
    pub fn insert(&self, key: K, mut entry: Entry<V>) -> Displaced<K, V> {
        entry.freshness.weight = self.bound.weight(&key, entry.value.as_deref());
        let inserted = identity(&entry);
        let mut entries = Vec::new();
        self.map.insert_with_lifecycle(key, entry, &mut entries);
        // What is too heavy is the last that the map gives up.
        let last = entries.last().map(|(_, entry)| identity(entry));
        let refused = last == Some(inserted);
        // The replaced one's key is still there. None is looked for as long as nothing had to go.
        let gone = |(key, _): &&(K, Entry<V>)| !refused && self.map.peek(&Probe(key)).is_none();
        let evicted = entries.iter().filter(gone).count();
        Displaced {
            entries,
            refused,
            evicted,
        }
    }

    /// Takes the entry of a key out and gives it, fresh or not.
    pub fn remove<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Option<Entry<V>> {
        self.map.remove(&Probe(key)).map(|(_, entry)| entry)
    }

    /// Drops all entries that are there when it is called, one after another, about 100 ns each.
    /// One that is inserted meanwhile may be dropped or stay.
    pub fn clear(&self) {
        self.map.drain().for_each(drop);
    }

    /// Drops the entries that are `expired`, and says how many it were.
    ///
    /// Looks at every entry, one part of the map after another; calls that meet the part wait for
    /// it, a few milliseconds with 100,000 entries in a part. `expired` runs under that lock: it
    /// must not come back to this map, nor panic.
    pub fn sweep(&self, expired: impl Fn(&Entry<V>) -> bool) -> usize {
        // The map drops what it does not retain under its lock. A second reference to each value
        // carries it out of there.
        let swept = RefCell::new(Vec::new());
        self.map.retain(|_, kept| {
            let drop = expired(kept);
            if drop {
                swept.borrow_mut().push(kept.value.clone());
            }
            !drop
        });
        swept.into_inner().len()
    }

    /// How many entries are kept, the expired ones among them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether none is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// What the entries weigh together; with [`Bound::Entries`] as much as [`len`](Self::len).
    #[must_use]
    pub fn weight(&self) -> u64 {
        self.map.weight()
    }

    /// What the entries may weigh together: the bound, rounded down to a multiple of the map's
    /// parts, so up to 1 in 128 less.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.map.capacity()
    }
}

impl<K, V> fmt::Debug for Near<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Near");
        out.field("bound", &self.bound).finish_non_exhaustive()
    }
}

/// What tells an entry from the others that an insertion may displace.
fn identity<V>(entry: &Entry<V>) -> (Option<*const V>, Freshness) {
    (entry.value.as_ref().map(Arc::as_ptr), entry.freshness)
}
