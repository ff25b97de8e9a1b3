//! The clock of a cache and what was invalidated when.

use std::fmt;
use std::hash::{BuildHasher, Hash};

use foldhash::quality::{FixedState, RandomState};
use larder_core::sync::atomic::{AtomicU64, Ordering};
use larder_core::{Moment, Ticket, guard};

/// The stamps of one cache: one clock, a fixed number of slots, and one stamp for all.
///
/// To *raise* something is to move the clock on by one and write it as the stamp of a key's slot or
/// of the whole cache. A [`Ticket`] carries the clock as it was before a load read anything; a value
/// with that ticket is *current* while no stamp that names it is above the ticket's clock. Nothing
/// is ever listed or searched, so an invalidation costs the same at any size.
///
/// Two keys in one slot cost each other a load now and then, never a wrong value.
///
/// ```
/// use larder_core::Moment;
/// use larder_flight::{Stamps, Standing};
/// let stamps = Stamps::new(1_000);
/// let (slot, now) = (stamps.slot("eggs"), Moment::from_nanos(0));
/// let ticket = stamps.ticket(now);
/// assert!(stamps.is_current(slot, ticket));
/// stamps.raise(slot);
/// assert_eq!(stamps.standing(slot, ticket), Standing::Invalidated);
/// assert!(stamps.is_current(slot, stamps.ticket(now)));
/// ```
pub struct Stamps {
    slots: Box<[AtomicU64]>,
    /// The highest stamp of each group of slots: few enough to stay in the nearest cache, so that a
    /// hit reads a slot only where something in its group was raised since.
    groups: Box<[AtomicU64]>,
    /// Of each slot the stamp of the last change that leaves no fallback, for caches that have one.
    dead: Option<Box<[AtomicU64]>>,
    all: AtomicU64,
    // The faster variant leaves slots empty for small integers now and then, and so fills others.
    hasher: FixedState,
    clock: Alone,
}

/// A cell in cache lines of its own: every raise writes the clock, and every hit reads what would
/// lie beside it.
#[repr(align(128))]
struct Alone(AtomicU64);

/// 8 KiB of them.
const GROUPS: usize = 1024;

impl Stamps {
    /// Makes at least `slots` slots: the next power of two, at least 1 and at most 2^20.
    ///
    /// Eight bytes a slot. About as many slots as entries keep neighbours rare.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        Self::seeded(slots, RandomState::default().hash_one(slots))
    }

    /// As [`new`](Self::new), with the seed of the hashes: the same seed gives every key the same
    /// slot again. It has to be random where others choose the keys.
    #[must_use]
    pub fn seeded(slots: usize, seed: u64) -> Self {
        let slots = slots.clamp(1, 1 << 20).next_power_of_two();
        Self {
            slots: stamps(slots),
            groups: stamps(slots.min(GROUPS)),
            dead: None,
            all: AtomicU64::new(0),
            hasher: FixedState::with_seed(seed),
            clock: Alone(AtomicU64::new(0)),
        }
    }

    /// Tells what is [expired](Self::expire) from what is invalidated, for eight bytes a slot more.
    #[must_use]
    pub fn with_fallback(mut self) -> Self {
        self.dead = Some(stamps(self.slots.len()));
        self
    }

    /// The slot of a key. A borrowed form that hashes as its key has the key's slot.
    ///
    /// The hash is seeded at random, per object: nobody can choose keys that share a slot.
    #[inline]
    pub fn slot<Q: Hash + ?Sized>(&self, key: &Q) -> Slot {
        // The mask keeps what a cast to 32 bits could lose.
        Slot((self.hasher.hash_one(key) as usize & (self.slots.len() - 1)) as u32)
    }

    /// The slot of whatever has this digest, the same for all who know the digest.
    #[inline]
    #[must_use]
    pub fn slot_by(&self, digest: u64) -> Slot {
        Slot((digest as usize & (self.slots.len() - 1)) as u32)
    }

    /// A ticket for a load that has read nothing yet; `now` is the cache's own time.
    #[inline]
    pub fn ticket(&self, now: Moment) -> Ticket {
        Ticket {
            clock: self.clock.0.load(Ordering::Acquire),
            at: now,
        }
    }

    /// Invalidates the keys of a slot: no ticket that was taken before is current for it again.
    /// Gives the clock that was written.
    pub fn raise(&self, slot: Slot) -> u64 {
        let clock = self.tick();
        if let Some(dead) = &self.dead {
            dead[self.index(slot)].fetch_max(clock, Ordering::AcqRel);
        }
        self.mark(slot, clock)
    }

    /// Ends the time of the keys of a slot: no ticket that was taken before is current for it again,
    /// but what has one may be a fallback. Without [`with_fallback`](Self::with_fallback) it is as
    /// [`raise`](Self::raise). Gives the clock that was written.
    pub fn expire(&self, slot: Slot) -> u64 {
        let clock = self.tick();
        self.mark(slot, clock)
    }

    fn mark(&self, slot: Slot, clock: u64) -> u64 {
        self.stamp(slot).fetch_max(clock, Ordering::AcqRel);
        self.group(slot).fetch_max(clock, Ordering::AcqRel);
        clock
    }

    /// Invalidates every key, in one step. Gives the clock that was written.
    pub fn raise_all(&self) -> u64 {
        let clock = self.tick();
        self.all.fetch_max(clock, Ordering::AcqRel);
        clock
    }

    /// Whether a value with this ticket may be used, and if not, why not.
    #[must_use]
    pub fn standing(&self, slot: Slot, ticket: Ticket) -> Standing {
        if guard!(
            AllStamp,
            self.all.load(Ordering::Acquire) > ticket.clock,
            false
        ) {
            Standing::Cleared
        } else if self.stamp(slot).load(Ordering::Acquire) > ticket.clock {
            Standing::Invalidated
        } else {
            Standing::Current
        }
    }

    /// Whether a value with this ticket may be used: two loads and two compares,
    /// and one more of each where something in the slot's group was raised since.
    #[inline]
    #[must_use]
    pub fn is_current(&self, slot: Slot, ticket: Ticket) -> bool {
        guard!(
            AllStamp,
            self.all.load(Ordering::Acquire) <= ticket.clock,
            true
        ) && (self.group(slot).load(Ordering::Acquire) <= ticket.clock
            || self.stamp(slot).load(Ordering::Acquire) <= ticket.clock)
    }

    /// Whether a value with this ticket may be a fallback, and if not, why not: what was only
    /// [expired](Self::expire) may.
    #[must_use]
    pub fn fallback(&self, slot: Slot, ticket: Ticket) -> Standing {
        let dead = self.dead.as_ref().unwrap_or(&self.slots);
        if self.all.load(Ordering::Acquire) > ticket.clock {
            Standing::Cleared
        } else if dead[self.index(slot)].load(Ordering::Acquire) > ticket.clock {
            Standing::Invalidated
        } else {
            Standing::Current
        }
    }

    /// The clock moves before a stamp is written. A ticket taken in between already has the new
    /// clock, and rightly: its load reads the source after the change that is being announced.
    fn tick(&self) -> u64 {
        self.clock.0.fetch_add(1, Ordering::AcqRel) + 1
    }

    fn index(&self, slot: Slot) -> usize {
        slot.0 as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn group(&self, slot: Slot) -> &AtomicU64 {
        &self.groups[slot.0 as usize & (self.groups.len() - 1)]
    }

    #[inline]
    fn stamp(&self, slot: Slot) -> &AtomicU64 {
        &self.slots[slot.0 as usize & (self.slots.len() - 1)]
    }
}

fn stamps(count: usize) -> Box<[AtomicU64]> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

impl fmt::Debug for Stamps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stamps")
            .field("clock", &self.clock.0.load(Ordering::Relaxed))
            .field("slots", &self.slots.len())
            .finish_non_exhaustive()
    }
}

/// A place among the stamps of one cache, shared by the keys that hash to it.
///
/// It means nothing to other [`Stamps`]; used there it is some slot, and no harm is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u32);

impl Slot {
    /// The slot with this index, as [`index`](Self::index) gave it.
    #[must_use]
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// Its index, to be kept beside an entry.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0
    }
}

/// Whether a value may be used, by its ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Nothing that names it was invalidated since its ticket was taken.
    Current,
    /// Its slot was raised since.
    Invalidated,
    /// The whole cache was raised since, and perhaps its slot as well.
    Cleared,
}
