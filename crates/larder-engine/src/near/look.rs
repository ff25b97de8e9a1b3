//! What is held, and whether it may be used.

use std::sync::Arc;
use std::time::Duration;

use larder_core::{Key, LoadError, Lookup, Moment, Ticket, guard};
use larder_flight::{Slot, Standing};
use larder_memory::{Entry, Freshness, Rare, Renewal, TagSlots};

use super::NearTier;
use crate::far::FarValue;
use crate::outcome::{Outcome, Stale, Why};

/// What the near tier holds of a key.
pub(crate) enum Looked<V> {
    Fresh(Entry<V>),
    /// Fresh, and to be refreshed.
    Due(Entry<V>),
    /// A fallback.
    Old(Old<V>),
    /// The error of a load, kept.
    Failed(LoadError),
    Unusable(Why),
}

/// A result that is not fresh any more, and may be fallen back to.
pub(crate) struct Old<V> {
    pub(crate) value: Option<Arc<V>>,
    pub(crate) tags: TagSlots,
    pub(crate) ticket: Ticket,
    /// What it takes to keep it anew, if that is known.
    pub(crate) renewal: Option<Arc<Renewal>>,
    /// When its load began, as far as is known.
    pub(crate) born: Moment,
    /// When it ended.
    pub(crate) fresh: Moment,
    pub(crate) until: Moment,
    /// It was expired by hand: nobody gets it before a load was tried.
    pub(crate) expired: bool,
    /// A load has failed lately, and the source is left alone.
    pub(crate) paused: bool,
}

impl<V> Clone for Old<V> {
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            tags: self.tags.clone(),
            renewal: self.renewal.clone(),
            ..*self
        }
    }
}

impl<V> Old<V> {
    /// Its entry, which is nobody's hit.
    pub(super) fn entry(&self, slot: Slot) -> Entry<V> {
        let rare = Rare::new(self.fresh, self.until);
        let rare = match &self.renewal {
            Some(renewal) => rare.renewal(Arc::clone(renewal)),
            None => rare,
        };
        Entry {
            value: self.value.clone(),
            tags: self.tags.beside(rare),
            freshness: Freshness::new(self.fresh, self.ticket, slot.index()),
        }
    }

    /// The outcome of a call that is given it at `now`.
    pub(crate) fn outcome(&self, because: Stale, now: Moment) -> Outcome {
        Outcome::Stale {
            because,
            age: now.since(self.born),
            past: now.since(self.fresh),
        }
    }
}

impl<K: Key, V: Send + Sync + 'static> NearTier<K, V> {
    /// What is held, to be judged where it lies: it is never moved on the way of a hit, for to read
    /// in large pieces what was just written in small ones stalls the processor.
    #[inline(always)]
    pub(crate) fn get<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Option<Entry<V>> {
        self.entries.get(key)
    }

    /// Whether an entry may be used at `now`; what is to be refreshed may be if `due_too`.
    #[inline(always)]
    pub(crate) fn is_hit(&self, entry: &Entry<V>, now: Moment, due_too: bool) -> bool {
        self.usable(entry, now) || self.closer(entry, now, due_too)
    }

    #[inline(always)]
    fn usable(&self, entry: &Entry<V>, now: Moment) -> bool {
        guard!(EndsAtUse, now < entry.freshness.ends, true) && self.stands(entry, now)
    }

    #[inline(always)]
    fn stands(&self, entry: &Entry<V>, now: Moment) -> bool {
        let Freshness { ticket, slot, .. } = entry.freshness;
        let slot = Slot::new(slot);
        guard!(StampAtUse, self.stamps.is_current(slot, ticket), true)
            && guard!(TagsAtUse, self.tags_current(&entry.tags, ticket), true)
            && self.sees(ticket, now)
    }

    /// A hit of an entry that has what few have.
    #[inline(never)]
    fn closer(&self, entry: &Entry<V>, now: Moment, due_too: bool) -> bool {
        let Some(rare) = entry.tags.rare() else {
            return false;
        };
        let fresh = rare.failed().is_none() && now < rare.fresh_until();
        let hit = fresh && (due_too || now < rare.due_at());
        hit && guard!(IdleAtUse, rare.touch(now), true) && self.stands(entry, now)
    }

    /// What is held and what it is good for, or the reason why there is nothing.
    pub(crate) fn look(&self, key: &K) -> Looked<V> {
        let Some(entry) = self.entries.get(key) else {
            return Looked::Unusable(Why::Absent);
        };
        self.judge(entry)
    }

    pub(super) fn judge(&self, entry: Entry<V>) -> Looked<V> {
        let now = self.clock.now();
        if let Err(why) = self.fallback(&entry) {
            return Looked::Unusable(why);
        }
        let lively = entry.tags.rare().is_none_or(|rare| rare.is_lively(now));
        if !lively || guard!(EndsAtUse, now >= self.until(&entry), false) {
            return Looked::Unusable(Why::Expired);
        }
        let ticket = entry.freshness.ticket;
        if !self.sees(ticket, now) {
            return Looked::Unusable(Why::Blind);
        }
        let current = self.is_current(Slot::new(entry.freshness.slot), &entry.tags, ticket);
        let expired = guard!(StampAtUse, !current, false);
        let over = guard!(EndsAtUse, now >= self.fresh_until(&entry), false);
        if let Some(error) = entry.tags.rare().and_then(Rare::failed) {
            return if expired {
                Looked::Unusable(Why::Expired)
            } else {
                Looked::Failed(error.clone())
            };
        }
        if over || expired {
            return Looked::Old(self.old(entry, expired, now));
        }
        let due = entry.tags.rare().is_some_and(|rare| now >= rare.due_at());
        if due {
            return Looked::Due(entry);
        }
        Looked::Fresh(entry)
    }

    fn old(&self, entry: Entry<V>, expired: bool, now: Moment) -> Old<V> {
        let due = entry.tags.rare().map(Rare::due_at);
        Old {
            renewal: super::renew::renewal(&entry),
            fresh: self.fresh_until(&entry),
            until: self.until(&entry),
            ticket: entry.freshness.ticket,
            born: entry.freshness.ticket.at,
            paused: due.is_some_and(|due| due != Moment::MAX && now < due),
            tags: entry.tags.alone(),
            value: entry.value,
            expired,
        }
    }

    /// Whether something old may still be given out: looked at when it is, for it may have been
    /// invalidated while its holder waited.
    pub(crate) fn serves(&self, old: &Old<V>, slot: Slot) -> bool {
        let now = self.now();
        now < old.until
            && self.stands_as_fallback(slot, &old.tags, old.ticket).is_ok()
            && self.sees(old.ticket, now)
    }

    pub(super) fn fallback(&self, entry: &Entry<V>) -> Result<(), Why> {
        let Freshness { ticket, slot, .. } = entry.freshness;
        self.stands_as_fallback(Slot::new(slot), &entry.tags, ticket)
    }

    fn stands_as_fallback(&self, slot: Slot, tags: &TagSlots, ticket: Ticket) -> Result<(), Why> {
        let standing = self.stamps.fallback(slot, ticket);
        match guard!(FallbackStamp, standing, Standing::Current) {
            Standing::Invalidated => return Err(Why::Invalidated),
            Standing::Cleared => return Err(Why::Cleared),
            _ => {}
        }
        let mut tags = tags.as_slice().iter();
        let dead = |tag: &u32| self.stamps.fallback(Slot::new(*tag), ticket) != Standing::Current;
        if guard!(TagsAtUse, tags.any(dead), false) {
            return Err(Why::Tag);
        }
        Ok(())
    }

    /// Whether an entry may still be used, or fallen back to.
    pub(super) fn is_of_use(&self, entry: &Entry<V>, now: Moment) -> bool {
        let lively = entry.tags.rare().is_none_or(|rare| rare.is_lively(now));
        lively
            && now < self.until(entry)
            && self.fallback(entry).is_ok()
            && self.sees(entry.freshness.ticket, now)
    }

    pub(crate) fn fresh_until(&self, entry: &Entry<V>) -> Moment {
        let rare = entry.tags.rare();
        rare.map_or(entry.freshness.ends, Rare::fresh_until)
    }

    pub(super) fn until(&self, entry: &Entry<V>) -> Moment {
        let rare = entry.tags.rare();
        rare.map_or(entry.freshness.ends.after(self.stale), Rare::until)
    }

    /// The outcome of a call that was given `entry` at `now`.
    pub(crate) fn outcome(&self, entry: &Entry<V>, now: Moment) -> Outcome {
        Outcome::Near {
            age: now.since(entry.freshness.ticket.at),
            left: self.left(entry, now),
        }
    }

    pub(super) fn left(&self, entry: &Entry<V>, now: Moment) -> Option<Duration> {
        let mut ends = self.fresh_until(entry);
        if let Some((most, used)) = entry.tags.rare().and_then(Rare::idle_since) {
            ends = ends.min(used.after(most));
        }
        (ends != Moment::MAX).then(|| ends.since(now))
    }

    /// The outcome of a call that the far tier answered.
    pub(crate) fn outcome_far(&self, found: &FarValue<V>) -> Outcome {
        Outcome::Far {
            age: found.age,
            left: found.fresh.since(self.clock.now()),
        }
    }
}
