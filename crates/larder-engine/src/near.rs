//! The near tier with its stamps: what is held, and whether it may still be used.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use larder_core::sync::{Mutex, MutexGuard};
use larder_core::{Clock, Key, LoadError, Lookup, Moment, Ticket, guard};
use larder_flight::{Slot, Stamps};
use larder_memory::{Bound, Displaced, Entry, Freshness, Near, Rare, Renewal, TagSlots};

use crate::event::What;
use crate::events::Teller;
use crate::far::Sight;
use crate::lifetime::Times;
use crate::span::Span;
use crate::stats::Count;

mod held;
mod keep;
mod look;
mod renew;

pub(crate) use keep::Kept;
pub(crate) use look::{Looked, Old};

const WRITERS: usize = 16;

pub(crate) struct NearTier<K, V> {
    entries: Near<K, V>,
    stamps: Arc<Stamps>,
    clock: Clock,
    step: Duration,
    /// How long after its end an entry that says nothing else is a fallback.
    stale: Duration,
    /// For a cache with a far tier: how long it may do without a sign of the other nodes.
    sight: Option<Arc<Sight>>,
    /// False for a cache that holds nothing here, but for what it may have to fall back to.
    holds: bool,
    evicted: Count,
    teller: Arc<Teller>,
    /// Held from a raise or a check to the insert or removal that follows it, by slot: so that an
    /// older result never takes the place of a newer one. Never over an await, and of the user's
    /// code only over a weigher and a key's `Hash` and `Eq`; what is displaced is dropped after it.
    writers: [Mutex<()>; WRITERS],
}

impl<K: Key, V: Send + Sync + 'static> NearTier<K, V> {
    pub(crate) fn new(
        bound: Bound<K, V>,
        stamps: Arc<Stamps>,
        clock: Clock,
        times: &Times,
        teller: Arc<Teller>,
    ) -> Self {
        Self {
            entries: Near::new(bound),
            stamps,
            step: clock.step(),
            clock,
            stale: times.stale,
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

    /// The span of what the far tier does not hold, where others write: nobody tells of a delete that
    /// finds nothing, so it is used as by one who is blind.
    pub(crate) fn unwatched(&self, span: Span, ticket: Ticket) -> Span {
        let ends = self.sight.as_ref().map(|sight| sight.ends(ticket.at));
        let ends = ends.unwrap_or(Moment::MAX);
        Span {
            fresh: span.fresh.min(ends),
            until: span.until.min(ends),
            ..span
        }
    }

    /// How far the clock may lie behind.
    pub(crate) fn step(&self) -> Duration {
        self.step
    }

    /// Whether it holds what is fresh.
    pub(crate) fn holds(&self) -> bool {
        self.holds
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Whether what is loaded from now on may be used for the blind ttl only.
    pub(crate) fn is_blind(&self) -> bool {
        let now = self.clock.now();
        let sight = self.sight.as_ref();
        sight.is_some_and(|sight| sight.is_blind(now))
    }

    /// The entry of a result. What few have is beside it only where it is needed: it costs a hit a
    /// reference to count.
    pub(crate) fn entry(
        &self,
        value: Option<Arc<V>>,
        tags: &TagSlots,
        ticket: Ticket,
        slot: Slot,
        span: Span,
        renewal: Option<Arc<Renewal>>,
    ) -> Entry<V> {
        let plain = span.due >= span.fresh && span.idle.is_none() && renewal.is_none();
        let (tags, ends) = if plain && span.until == span.fresh.after(self.stale) {
            (tags.alone(), span.fresh)
        } else {
            let rare = Rare::new(span.fresh, span.until).due(span.due);
            let rare = match renewal {
                Some(renewal) => rare.renewal(renewal),
                None => rare,
            };
            match span.idle {
                None => (tags.beside(rare), span.fresh.min(span.due)),
                // Each hit has to look, and to note that it was there.
                Some(idle) => {
                    let rare = rare.idle(idle, self.now());
                    (tags.beside(rare), Moment::from_nanos(0))
                }
            }
        };
        Entry {
            value,
            tags,
            freshness: Freshness::new(ends, ticket, slot.index()),
        }
    }

    /// The entry of an error, which is fresh before `ends`.
    pub(crate) fn failed(
        error: LoadError,
        tags: &TagSlots,
        ticket: Ticket,
        slot: Slot,
        ends: Moment,
    ) -> Entry<V> {
        let rare = Rare::new(ends, ends).error(error);
        Entry {
            value: None,
            tags: tags.beside(rare),
            freshness: Freshness::new(Moment::from_nanos(0), ticket, slot.index()),
        }
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
