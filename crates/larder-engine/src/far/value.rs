//! What a far answer is worth.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::FarFound;
use larder_core::{Moment, Ticket, guard};
use larder_memory::{Renewal, TagSlots};

use super::FarTier;
use crate::event::What;
use crate::lifetime::{Dice, Times};
use crate::near::Old;
use crate::outcome::Why;
use crate::span::Span;

/// A value from the far tier, as far as it may be used.
pub(crate) struct FarValue<V> {
    pub(crate) value: Option<Arc<V>>,
    pub(crate) tags: Vec<String>,
    /// When it ends, by this node's clock.
    pub(crate) fresh: Moment,
    /// Until when it may be fallen back to.
    pub(crate) until: Moment,
    /// It was expired by hand.
    pub(super) expired: bool,
    pub(crate) age: Duration,
    validator: Option<Box<[u8]>>,
    ttl: Duration,
    cost: Duration,
}

impl<V> FarValue<V> {
    /// When it is used, near.
    pub(crate) fn span(&self, times: &Times, random: &Dice<'_>) -> Span {
        let began = self.fresh.before(self.ttl);
        let due = times.refresh.map(|refresh| {
            let after = refresh.after(self.ttl, self.cost, random);
            began.after(after)
        });
        Span {
            fresh: self.fresh,
            until: self.until,
            due: due.unwrap_or(Moment::MAX),
            idle: times.idle,
        }
    }

    /// What it takes to keep it anew near, if its load said what its source knows it by.
    pub(crate) fn renewal(&self) -> Option<Arc<Renewal>> {
        let validator = self.validator.clone()?;
        let tags = self.tags.clone();
        Some(Arc::new(Renewal { validator, tags }))
    }

    /// As what may be fallen back to.
    pub(crate) fn old(self, tags: TagSlots, ticket: Ticket, now: Moment) -> Old<V> {
        let renewal = Renewal {
            validator: self.validator.unwrap_or_default(),
            tags: self.tags,
        };
        Old {
            value: self.value,
            tags,
            renewal: Some(Arc::new(renewal)),
            ticket,
            born: now.before(self.age),
            fresh: self.fresh,
            until: self.until,
            expired: self.expired,
            paused: false,
        }
    }
}

impl<V> FarTier<V> {
    /// The value's time is what the store says is left, counted from the moment the read was sent,
    /// and never more than the value was stored for.
    pub(super) fn value(
        &self,
        name: &Bytes,
        found: &FarFound,
        sent: Moment,
    ) -> Result<FarValue<V>, Why> {
        let decoded = self.coding.decode(name, &found.bytes).inspect_err(|_| {
            self.counts.undecodable.add();
            self.teller.tell(What::Undecodable);
        })?;
        let whole = decoded.ttl.saturating_add(decoded.stale);
        let left = guard!(FarLeft, found.left.min(whole), whole);
        let age = decoded.age.saturating_add(whole - left);
        let until = sent.after(left).before(self.clock.step());
        let cap = sent.after(self.max_age.saturating_sub(age));
        let value = FarValue {
            value: decoded.value,
            tags: decoded.tags,
            fresh: until.before(decoded.stale).min(cap),
            until: until.min(cap),
            expired: found.expired,
            age,
            validator: decoded.validator,
            ttl: decoded.ttl,
            cost: decoded.cost,
        };
        if self.clock.now() >= value.until {
            return Err(Why::Expired);
        }
        Ok(value)
    }
}
