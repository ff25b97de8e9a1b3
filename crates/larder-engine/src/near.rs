//! The near tier with its stamps: what is held, and whether it may still be used.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use larder_core::sync::{Mutex, MutexGuard};
use larder_core::{Clock, Key, Lookup, Moment, Ticket, guard};
use larder_flight::{Slot, Stamps, Standing};
use larder_memory::{Bound, Displaced, Entry, Freshness, Near, TagSlots};

use crate::event::What;
use crate::events::Teller;
use crate::explain::Held;
use crate::far::{FarValue, Sight};
use crate::lifetime::Lifetime;
use crate::outcome::{Outcome, Why};
use crate::stats::Count;

const WRITERS: usize = 16;

pub(crate) struct NearTier<K, V> {
    entries: Near<K, V>,
    stamps: Arc<Stamps>,
    clock: Clock,
    step: Duration,
    /// For a cache with a far tier: how long it may do without a sign of the other nodes.
    sight: Option<Arc<Sight>>,
    /// False for a cache that holds nothing here.
    holds: bool,
    evicted: Count,
    teller: Arc<Teller>,
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
    pub(crate) fn new(
        bound: Bound<K, V>,
        stamps: Arc<Stamps>,
        clock: Clock,
        teller: Arc<Teller>,
    ) -> Self {
        Self {
            entries: Near::new(bound),
            stamps,
            step: clock.step(),
            clock,
            sight: None,
            holds: true,
            evicted: Count::default(),
            teller,
            writers: Default::default(),
        }
    }

    /// For a cache with a far tier.
    pub(crate) fn beside_far(mut self, sight: Arc<Sight>, holds: bool) -> Self {
        self.sight = Some(sight);
        self.holds = holds;
        self
    }

    /// The slot of a key in a cache that shares its keys with nobody.
    pub(crate) fn slot<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Slot {
        self.stamps.slot(key)
    }

    /// The slot of what goes by this digest on every node.
    pub(crate) fn slot_by(&self, digest: u64) -> Slot {
        self.stamps.slot_by(digest)
    }

    pub(crate) fn tag_slots(&self, tags: &[String]) -> TagSlots {
        let slots = tags.iter().map(|tag| self.tag_slot(tag).index());
        slots.collect()
    }

    fn tag_slot(&self, tag: &str) -> Slot {
        self.stamps.slot_by(larder_core::digest(tag.as_bytes()))
    }

    pub(crate) fn ticket(&self) -> Ticket {
        self.stamps.ticket(self.clock.now())
    }

    /// Whether nothing that names the key or its tags was invalidated since the ticket.
    pub(crate) fn is_current(&self, slot: Slot, tags: &TagSlots, ticket: Ticket) -> bool {
        self.stamps.is_current(slot, ticket) && self.tags_current(tags, ticket)
    }

    #[inline]
    fn tags_current(&self, tags: &TagSlots, ticket: Ticket) -> bool {
        let mut tags = tags.as_slice().iter();
        tags.all(|tag| self.stamps.is_current(Slot::new(*tag), ticket))
    }

    /// Whether the node has heard of the others recently enough to use what this ticket gave.
    #[inline]
    pub(crate) fn sees(&self, ticket: Ticket, now: Moment) -> bool {
        let sight = self.sight.as_ref();
        guard!(
            SightAtUse,
            sight.is_none_or(|sight| sight.sees(ticket.at, now)),
            true
        )
    }

    /// What may be used at `now`.
    ///
    /// The way of a hit is inlined as a whole, so that an entry is judged where it was read and
    /// never moved.
    #[inline(always)]
    pub(crate) fn fresh<Q: Lookup<K> + ?Sized>(&self, key: &Q, now: Moment) -> Option<Entry<V>> {
        let entry = self.entries.get(key)?;
        self.usable(&entry, now).then_some(entry)
    }

    #[inline(always)]
    fn usable(&self, entry: &Entry<V>, now: Moment) -> bool {
        let Freshness {
            ends, ticket, slot, ..
        } = entry.freshness;
        let slot = Slot::new(slot);
        guard!(EndsAtUse, now < ends, true)
            && guard!(StampAtUse, self.stamps.is_current(slot, ticket), true)
            && guard!(TagsAtUse, self.tags_current(&entry.tags, ticket), true)
            && self.sees(ticket, now)
    }

    /// As [`fresh`](Self::fresh), with the reason where there is nothing to use.
    pub(crate) fn look(&self, key: &K) -> Looked<V> {
        let Some(entry) = self.entries.get(key) else {
            return Looked::Unusable(Why::Absent);
        };
        match self.unusable(&entry, self.clock.now()) {
            Some(why) => Looked::Unusable(why),
            None => Looked::Fresh(entry),
        }
    }

    /// What is held, to be told; it is no use of the entry.
    pub(crate) fn held(&self, key: &K) -> Held {
        if !self.holds {
            return Held::NoTier;
        }
        let Some(entry) = self.entries.peek(key) else {
            return Held::Nothing;
        };
        let now = self.clock.now();
        let Freshness { ends, ticket, .. } = entry.freshness;
        let age = now.since(ticket.at);
        match self.unusable(&entry, now) {
            Some(why) => Held::Unusable {
                why,
                age: Some(age),
            },
            None => Held::Usable {
                absence: entry.value.is_none(),
                age,
                left: (ends != Moment::MAX).then(|| ends.since(now)),
                tags: entry.tags.as_slice().len(),
                tag_names: Vec::new(),
            },
        }
    }

    /// Whether what is loaded from now on may be used for the blind ttl only.
    pub(crate) fn is_blind(&self) -> bool {
        let now = self.clock.now();
        let sight = self.sight.as_ref();
        sight.is_some_and(|sight| sight.is_blind(now))
    }

    /// Why what is held must not be used.
    fn unusable(&self, entry: &Entry<V>, now: Moment) -> Option<Why> {
        let Freshness {
            ends, ticket, slot, ..
        } = entry.freshness;
        let standing = self.stamps.standing(Slot::new(slot), ticket);
        let tags_current = guard!(TagsAtUse, self.tags_current(&entry.tags, ticket), true);
        match guard!(StampAtUse, standing, Standing::Current) {
            Standing::Invalidated => Some(Why::Invalidated),
            Standing::Cleared => Some(Why::Cleared),
            _ if !tags_current => Some(Why::Tag),
            _ if guard!(EndsAtUse, now >= ends, false) => Some(Why::Expired),
            _ if !self.sees(ticket, now) => Some(Why::Blind),
            _ => None,
        }
    }

    /// The outcome of a call that was given `entry` at `now`.
    pub(crate) fn outcome(&self, entry: &Entry<V>, now: Moment) -> Outcome {
        Outcome::Near {
            age: now.since(entry.freshness.ticket.at),
            left: (entry.freshness.ends != Moment::MAX).then(|| entry.freshness.ends.since(now)),
        }
    }

    /// The outcome of a call that the far tier answered.
    pub(crate) fn outcome_far(&self, found: &FarValue<V>) -> Outcome {
        Outcome::Far {
            age: found.age,
            left: found.ends.since(self.clock.now()),
        }
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// When an entry that is stored now with this lifetime ends; `None` if it is not to be stored.
    pub(crate) fn ends(&self, lifetime: Lifetime) -> Option<Moment> {
        lifetime.ends(self.clock.now(), self.step)
    }

    /// Keeps what was loaded under the entry's ticket, unless it is not to be used any more.
    pub(crate) fn keep(&self, key: K, entry: Entry<V>) -> Kept {
        let slot = Slot::new(entry.freshness.slot);
        let writer = self.writer(slot);
        let current = self.is_current(slot, &entry.tags, entry.freshness.ticket);
        if guard!(InsertCheck, !current, false) {
            return Kept::Refused;
        }
        if !self.holds {
            return Kept::NotAsked;
        }
        let displaced = self.entries.insert(key, entry);
        drop(writer);
        let refused = displaced.is_refusal();
        self.dispose(displaced);
        if refused {
            return Kept::TooHeavy;
        }
        Kept::Stored
    }

    /// A put where there is no far tier: one step, so that of several that race the last wins.
    pub(crate) fn put(&self, key: K, slot: Slot, value: Option<Arc<V>>, lifetime: Lifetime) {
        let Some(ends) = self.ends(lifetime) else {
            return self.invalidate(&key, slot);
        };
        let at = self.clock.now();
        let writer = self.writer(slot);
        let clock = self.stamps.raise(slot);
        let entry = Entry {
            value,
            tags: TagSlots::default(),
            freshness: Freshness::new(ends, Ticket { clock, at }, slot.index()),
        };
        let displaced = self.entries.insert(key, entry);
        drop(writer);
        self.dispose(displaced);
    }

    /// The first step of a put: whatever is held is older from here on. The new ticket, if the
    /// putter's own still held.
    pub(crate) fn put_begins(
        &self,
        key: &K,
        slot: Slot,
        tags: &TagSlots,
        ticket: Ticket,
    ) -> Option<Ticket> {
        let writer = self.writer(slot);
        let held = guard!(PutTicketNear, self.is_current(slot, tags, ticket), true);
        let clock = self.stamps.raise(slot);
        let removed = self.entries.remove(key);
        drop(writer);
        drop(removed);
        let at = ticket.at;
        held.then_some(Ticket { clock, at })
    }

    /// The last step of a put: what was read meanwhile falls, and the value is kept if the ticket
    /// of the first step still holds.
    pub(crate) fn put_ends(&self, key: K, slot: Slot, entry: Option<Entry<V>>) {
        let writer = self.writer(slot);
        let current = |entry: &Entry<V>| {
            let current = self.is_current(slot, &entry.tags, entry.freshness.ticket);
            guard!(PutTicketAtEnd, current, true)
        };
        let entry = entry.filter(|entry| self.holds && current(entry));
        let clock = guard!(SecondRaise, self.stamps.raise(slot), self.ticket().clock);
        let Some(mut entry) = entry else {
            return;
        };
        let ticket = &mut entry.freshness.ticket;
        ticket.clock = guard!(PutOutlivesItself, clock, ticket.clock);
        let displaced = self.entries.insert(key, entry);
        drop(writer);
        self.dispose(displaced);
    }

    pub(crate) fn invalidate(&self, key: &K, slot: Slot) {
        let writer = self.writer(slot);
        self.stamps.raise(slot);
        let removed = self.entries.remove(key);
        drop(writer);
        drop(removed);
    }

    pub(crate) fn invalidate_tag(&self, tag: &str) {
        self.stamps.raise(self.tag_slot(tag));
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

    /// How many entries gave way to others.
    pub(crate) fn evicted(&self) -> u64 {
        self.evicted.value()
    }

    /// Drops what an insertion pushed out, under no lock.
    fn dispose(&self, displaced: Displaced<K, V>) {
        let entries = displaced.evicted();
        drop(displaced);
        if entries > 0 {
            self.evicted.add_many(entries);
            self.teller.tell(What::Evicted { entries });
        }
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
    /// It is heavier than the bound allows.
    TooHeavy,
    /// It was invalidated while it was loaded.
    Refused,
}
