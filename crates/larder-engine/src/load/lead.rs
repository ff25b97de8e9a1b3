//! Leading a load: from the far tier, else from the source, into the near tier.

use std::future::Future;
use std::sync::Arc;

use larder_core::far::Want;
use larder_core::{Key, LoadError, Ticket, guard};
use larder_flight::Lead;
use larder_memory::{Entry, Freshness};

use super::{Answered, Brought, Landed, Place};
use crate::answer::Answer;
use crate::cache::Inner;
use crate::event::{Tier, What};
use crate::far::{FarLook, FarValue};
use crate::lifetime::After;
use crate::mode::Mode;
use crate::near::Kept;
use crate::outcome::Why;
use crate::source::Source;

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    pub(super) async fn lead<R, M, B, F, A>(
        self: &Arc<Self>,
        lead: Lead<K, Landed<V>>,
        place: Place<K>,
        source: Source<B, A>,
    ) -> Answered<V>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        A: FnOnce(&R::Kept) -> After + Send + 'static,
    {
        let ticket = lead.ticket();
        let deadline = self.times.with(&source.terms).deadline;
        let (inner, there) = (Arc::clone(self), place.clone());
        let mode = source.mode;
        let load = async move { inner.bring(&there, ticket, source, R::ABSENCE).await };
        let inner = Arc::clone(self);
        let keep = move |brought| inner.keep(place, ticket, mode, brought);
        let landed = lead.start(deadline, load, keep).wait().await?;
        Ok((landed.value, landed.outcome))
    }

    pub(super) async fn lead_here<R, M, B, F, A>(
        &self,
        lead: Lead<K, Landed<V>>,
        place: Place<K>,
        source: Source<B, A>,
    ) -> Answered<V>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
        A: FnOnce(&R::Kept) -> After,
    {
        let ticket = lead.ticket();
        let deadline = self.times.with(&source.terms).deadline;
        let there = place.clone();
        let mode = source.mode;
        let load = async move { self.bring(&there, ticket, source, R::ABSENCE).await };
        let keep = |brought| self.keep(place, ticket, mode, brought);
        let landed = lead.hold(deadline, load, keep).await?;
        Ok((landed.value, landed.outcome))
    }

    /// From the far tier, else from the source.
    async fn bring<R, M, B, F, A>(
        &self,
        place: &Place<K>,
        ticket: Ticket,
        mut source: Source<B, A>,
        absence: bool,
    ) -> Result<Brought<V>, LoadError>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
        A: FnOnce(&R::Kept) -> After,
    {
        let Some(far) = &self.far else {
            return self.run_source(place, None, source).await;
        };
        if !source.mode.looks() {
            let claim = far.claim(&place.name).await.held();
            return self.run_source(place, claim, source).await;
        }
        let want = want(source.mode);
        let current = |tags: &[String]| {
            let tags = self.near.tag_slots(tags);
            self.near.is_current(place.slot, &tags, ticket)
        };
        let tags = &source.terms.tags;
        match far.look(&place.name, tags, want, current).await? {
            FarLook::Hit(found) if found.value.is_some() || absence => Ok(self.brought(found)),
            FarLook::Hit(_) => {
                source.why = Why::AbsenceHeld;
                self.run_source(place, None, source).await
            }
            FarLook::Miss(why, claim) => {
                source.why = why.unwrap_or(source.why);
                self.run_source(place, claim, source).await
            }
        }
    }

    pub(crate) fn brought(&self, found: FarValue<V>) -> Brought<V> {
        Brought {
            outcome: self.near.outcome_far(&found),
            value: found.value,
            tags: found.tags,
            ends: Some(found.ends),
        }
    }

    /// The near tier's part, once the load is sure to be used.
    ///
    /// A switch that was turned off meanwhile counts.
    pub(crate) fn keep(
        &self,
        place: Place<K>,
        began: Ticket,
        mode: Mode,
        brought: Brought<V>,
    ) -> Landed<V> {
        let ticket = guard!(TicketBeforeLoad, began, self.near.ticket());
        let at = guard!(SightFromTicket, ticket.at, self.near.now());
        let tags = self.near.tag_slots(&brought.tags);
        let mut landed = Landed {
            value: brought.value,
            tags,
            ticket: Ticket { at, ..ticket },
            outcome: brought.outcome,
        };
        let keeps = mode.and(self.switch.mode()).keeps();
        let Some(ends) = brought.ends.filter(|_| keeps) else {
            return landed;
        };
        let entry = Entry {
            value: landed.value.clone(),
            tags: landed.tags.clone(),
            freshness: Freshness::new(ends, landed.ticket, place.slot.index()),
        };
        match self.near.keep(place.key, entry) {
            Kept::Stored => {
                self.counters.happened(What::Stored(Tier::Near));
                landed.outcome.set_stored();
            }
            Kept::Refused => self.counters.happened(What::Refused(Tier::Near)),
            Kept::TooHeavy => self.counters.happened(What::Unfit(Tier::Near)),
            Kept::NotAsked => {}
        }
        landed
    }
}

/// Tokens are made for what will be kept.
pub(crate) fn want(mode: Mode) -> Want {
    if mode.keeps() { Want::Load } else { Want::Look }
}
