//! The near tier with its stamps: what is held, and whether it may still be used.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use larder_core::{Clock, Key, Lookup, Moment, Ticket};
use larder_flight::{Slot, Stamps, Standing};
use larder_memory::{Bound, Entry, Near};

use crate::lifetime::Lifetime;
use crate::outcome::{Outcome, Why};

const WRITERS: usize = 16;

pub(crate) struct NearTier<K, V> {
    entries: Near<K, V>,
    stamps: Arc<Stamps>,
    clock: Clock,
    step: Duration,
    /// Held from a raise or a check to the insert or removal that follows it, by slot: so that an
    /// older result never takes the place of a newer one. Never over an await, and of the user's
    /// code only over a weigher and a key's `Hash` and `Eq`; what is displaced is dropped after it.
    writers: [Mutex<()>; WRITERS],
}

/// What the near tier holds of a key.
pub(crate) enum Looked<V> {
    Fresh(Entry<V>),
    Unusable(Why),
}

impl<K: Key, V: Send + Sync + 'static> NearTier<K, V> {
    pub(crate) fn new(bound: Bound<K, V>, stamps: Arc<Stamps>, clock: Clock) -> Self {
        Self {
            entries: Near::new(bound),
            stamps,
            step: clock.step(),
            clock,
            writers: Default::default(),
        }
    }

    pub(crate) fn slot<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Slot {
        self.stamps.slot(key)
    }

    pub(crate) fn ticket(&self) -> Ticket {
        self.stamps.ticket(self.clock.now())
    }

    pub(crate) fn is_current(&self, slot: Slot, ticket: Ticket) -> bool {
        self.stamps.is_current(slot, ticket)
    }

    /// What may be used, and the moment at which that was found.
    #[inline]
    pub(crate) fn fresh<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Option<(Entry<V>, Moment)> {
        let entry = self.entries.get(key)?;
        let now = self.clock.now();
        self.usable(&entry, now).then_some((entry, now))
    }

    #[inline]
    fn usable(&self, entry: &Entry<V>, now: Moment) -> bool {
        now < entry.ends && self.stamps.is_current(Slot::new(entry.slot), entry.ticket)
    }

    /// As [`fresh`](Self::fresh), with the reason where there is nothing to use.
    pub(crate) fn look(&self, key: &K) -> Looked<V> {
        let Some(entry) = self.entries.get(key) else {
            return Looked::Unusable(Why::Absent);
        };
        match self.stamps.standing(Slot::new(entry.slot), entry.ticket) {
            Standing::Invalidated => Looked::Unusable(Why::Invalidated),
            Standing::Cleared => Looked::Unusable(Why::Cleared),
            _ if self.clock.now() >= entry.ends => Looked::Unusable(Why::Expired),
            _ => Looked::Fresh(entry),
        }
    }

    /// The outcome of a call that was given `entry` at `now`.
    pub(crate) fn outcome(&self, entry: &Entry<V>, now: Moment) -> Outcome {
        Outcome::Near {
            age: now.since(entry.ticket.at),
            left: (entry.ends != Moment::MAX).then(|| entry.ends.since(now)),
        }
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Keeps the result of a load that holds `ticket`; false if it is not to be kept any more.
    pub(crate) fn keep(
        &self,
        key: K,
        slot: Slot,
        value: Option<Arc<V>>,
        ticket: Ticket,
        lifetime: Lifetime,
    ) -> Kept {
        let Some(ends) = lifetime.ends(self.clock.now(), self.step) else {
            return Kept::NotAsked;
        };
        let entry = Entry {
            value,
            ends,
            ticket,
            slot: slot.index(),
        };
        let writer = self.writer(slot);
        if !self.stamps.is_current(slot, ticket) {
            return Kept::Refused;
        }
        let displaced = self.entries.insert(key, entry);
        drop(writer);
        drop(displaced);
        Kept::Stored
    }

    /// Puts a value: whatever was loaded or put before is older.
    pub(crate) fn put(&self, key: K, slot: Slot, value: Option<Arc<V>>, lifetime: Lifetime) {
        let now = self.clock.now();
        let Some(ends) = lifetime.ends(now, self.step) else {
            return self.invalidate(&key);
        };
        let writer = self.writer(slot);
        let clock = self.stamps.raise(slot);
        let entry = Entry {
            value,
            ends,
            ticket: Ticket { clock, at: now },
            slot: slot.index(),
        };
        let displaced = self.entries.insert(key, entry);
        drop(writer);
        drop(displaced);
    }

    pub(crate) fn invalidate<Q: Lookup<K> + ?Sized>(&self, key: &Q) {
        let slot = self.stamps.slot(key);
        let writer = self.writer(slot);
        self.stamps.raise(slot);
        let removed = self.entries.remove(key);
        drop(writer);
        drop(removed);
    }

    pub(crate) fn clear(&self) {
        self.stamps.raise_all();
        self.entries.clear();
    }

    /// Drops what must not be used any more.
    pub(crate) fn sweep(&self) -> usize {
        let now = self.clock.now();
        self.entries.sweep(|entry| !self.usable(entry, now))
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn writer(&self, slot: Slot) -> MutexGuard<'_, ()> {
        let writer = &self.writers[slot.index() as usize % WRITERS];
        writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of a load's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    Stored,
    /// The terms were not to store it.
    NotAsked,
    /// It was invalidated while it was loaded.
    Refused,
}
