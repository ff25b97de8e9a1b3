//! Keeping results, and letting go of them.

use std::sync::Arc;

use larder_core::{Key, Moment, Ticket, guard};
use larder_flight::Slot;
use larder_memory::{Entry, Rare, TagSlots};

use super::{Looked, NearTier, Old};
use crate::span::Span;

impl<K: Key, V: Send + Sync + 'static> NearTier<K, V> {
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

    /// Keeps what may be fallen back to, unless there is something as good. Also where nothing is
    /// held otherwise: it is used only when the far tier, the source or both have been asked.
    pub(crate) fn keep_old(&self, key: K, old: &Old<V>, slot: Slot) {
        let entry = old.entry(slot);
        let writer = self.writer(slot);
        if self.fallback(&entry).is_err() {
            return;
        }
        let held = self.entries.get(&key);
        let better = held.is_some_and(|held| {
            self.fallback(&held).is_ok() && self.fresh_until(&held) >= old.fresh
        });
        if !better {
            let displaced = self.entries.insert(key, entry);
            drop(writer);
            self.dispose(displaced);
        }
    }

    /// Keeps the error of a load, unless there is a result to fall back to.
    pub(crate) fn keep_error(&self, key: K, entry: Entry<V>) {
        let slot = Slot::new(entry.freshness.slot);
        let now = self.now();
        let writer = self.writer(slot);
        let current = self.is_current(slot, &entry.tags, entry.freshness.ticket);
        let held = self.entries.get(&key);
        let falls_back = held.is_some_and(|held| self.is_of_use(&held, now));
        if self.holds && !falls_back && guard!(InsertCheck, current, true) {
            let displaced = self.entries.insert(key, entry);
            drop(writer);
            self.dispose(displaced);
        }
    }

    /// Leaves the source of a key alone until `due`, while there is something to serve: the clones
    /// of its entry are told, or it gets a part that says it.
    ///
    /// What is fresh and not to be refreshed is newer than the load that failed: there it would set
    /// a refresh that nobody asked for.
    pub(crate) fn pause(&self, key: &K, slot: Slot, due: Moment) {
        let writer = self.writer(slot);
        let Some(mut entry) = self.entries.get(key) else {
            return;
        };
        if !matches!(self.judge(entry.clone()), Looked::Due(_) | Looked::Old(_)) {
            return;
        }
        if let Some(rare) = entry.tags.rare() {
            rare.set_due(due);
            return;
        }
        let rare = Rare::new(self.fresh_until(&entry), self.until(&entry)).due(due);
        entry.tags = entry.tags.beside(rare);
        let displaced = self.entries.insert(key.clone(), entry);
        drop(writer);
        self.dispose(displaced);
    }

    /// A put where there is no far tier: one step, so that of several that race the last wins.
    pub(crate) fn put(&self, key: K, slot: Slot, value: Option<Arc<V>>, span: Option<Span>) {
        let Some(span) = span else {
            return self.invalidate(&key, slot);
        };
        let at = self.clock.now();
        let writer = self.writer(slot);
        let clock = self.stamps.raise(slot);
        let ticket = Ticket { clock, at };
        let entry = self.entry(value, &TagSlots::default(), ticket, slot, span, None);
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

    /// Drops what is held, unless it is newer than the ticket.
    pub(crate) fn forget(&self, key: &K, slot: Slot, ticket: Ticket) {
        let writer = self.writer(slot);
        let held = self.entries.peek(key);
        let older = held.is_some_and(|held| held.freshness.ticket.clock <= ticket.clock);
        let removed = older.then(|| self.entries.remove(key));
        drop(writer);
        drop(removed);
    }

    /// Ends the time of what is held; it stays as a fallback.
    pub(crate) fn expire(&self, slot: Slot) {
        guard!(ExpireStamp, self.stamps.expire(slot), 0);
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
        self.entries.sweep(|entry| !self.is_of_use(entry, now))
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
