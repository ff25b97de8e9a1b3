//! The way of a miss: join, or lead.

use std::future::Future;
use std::sync::Arc;

use larder_core::far::Want;
use larder_core::{Key, LoadError, LoadErrorKind, Moment, Ticket};
use larder_flight::{Entered, Lead, Slot, Waiter};
use larder_memory::{Entry, TagSlots};

use crate::answer::Answer;
use crate::cache::Inner;
use crate::far::FarLook;
use crate::lifetime::{After, Terms};
use crate::near::{Kept, Looked};
use crate::outcome::{Outcome, Why};
use crate::source::Source;

/// What a call asks for beside the key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ask {
    pub(crate) terms: Terms,
    /// Where no load may start, the function runs in the call, past the cache.
    pub(crate) bypass: bool,
}

impl Ask {
    fn passes(&self, error: &LoadError) -> bool {
        self.bypass && error.kind() == LoadErrorKind::Refused
    }
}

/// What a flight brings to all who wait for it.
pub(crate) struct Landed<V> {
    value: Option<Arc<V>>,
    tags: TagSlots,
    /// Of the value: older than the flight's where the leader found the value in the near tier.
    ticket: Ticket,
    outcome: Outcome,
}

impl<V> Clone for Landed<V> {
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            tags: self.tags.clone(),
            ticket: self.ticket,
            outcome: self.outcome,
        }
    }
}

/// What a load found, in the far tier or at the source, before the near tier keeps it.
pub(crate) struct Brought<V> {
    pub(crate) value: Option<Arc<V>>,
    pub(crate) tags: Vec<String>,
    /// When it ends; `None` if it is not to be kept.
    pub(crate) ends: Option<Moment>,
    pub(crate) outcome: Outcome,
}

/// A key with what it is found by in the tiers.
#[derive(Clone)]
pub(crate) struct Place<K> {
    pub(crate) key: K,
    pub(crate) slot: Slot,
    /// The key's name in the far tier, if there is one.
    pub(crate) name: bytes::Bytes,
}

type Answered<V> = Result<(Option<Arc<V>>, Outcome), LoadError>;

/// What is next for a call that missed.
enum Turn<K, V> {
    Lead(Lead<K, Landed<V>>, Why),
    Join(Waiter<Landed<V>>),
    Answered(Option<Arc<V>>, Outcome),
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Joins the load of `key` that runs, or leads one that looks into the far tier and then runs
    /// `body`, detached.
    ///
    /// A result that the call joined is checked when it is handed out: it was loaded after the call
    /// began, or nothing was invalidated since. Else the call goes round once more; a flight that
    /// it finds then is newer than the invalidation, so a second refusal needs a second one.
    pub(crate) async fn load<R, M, B, F>(
        self: &Arc<Self>,
        key: K,
        ask: Ask,
        body: B,
        after: impl FnOnce(&R::Kept) -> After + Send + 'static,
    ) -> Answered<V>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        let place = self.place(key);
        let call = self.near.ticket();
        let mut refused = None;
        loop {
            match self.turn(&place, call, R::ABSENCE) {
                Err(error) if ask.passes(&error) => {
                    return Ok((body().await.split()?, Outcome::BYPASSED));
                }
                Err(error) => return Err(error),
                Ok(Turn::Answered(value, outcome)) => return Ok((value, outcome)),
                Ok(Turn::Lead(lead, why)) => {
                    let source = Source {
                        body,
                        after,
                        terms: ask.terms,
                        why: refused.unwrap_or(why),
                    };
                    return self.lead(lead, place, source).await;
                }
                Ok(Turn::Join(waiter)) => {
                    match self.join::<R, M>(waiter, place.slot, call).await? {
                        Ok(value) => return Ok((value, Outcome::Joined)),
                        Err(why) => refused = Some(why),
                    }
                }
            }
        }
    }

    /// As [`load`](Self::load), but a load that is led runs in the call and ends with it.
    pub(crate) async fn load_here<R, M, B, F>(
        &self,
        key: K,
        ask: Ask,
        body: B,
        after: impl FnOnce(&R::Kept) -> After,
    ) -> Answered<V>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
    {
        let place = self.place(key);
        let call = self.near.ticket();
        let mut refused = None;
        loop {
            match self.turn(&place, call, R::ABSENCE) {
                Err(error) if ask.passes(&error) => {
                    return Ok((body().await.split()?, Outcome::BYPASSED));
                }
                Err(error) => return Err(error),
                Ok(Turn::Answered(value, outcome)) => return Ok((value, outcome)),
                Ok(Turn::Lead(lead, why)) => {
                    let source = Source {
                        body,
                        after,
                        terms: ask.terms,
                        why: refused.unwrap_or(why),
                    };
                    return self.lead_here(lead, place, source).await;
                }
                Ok(Turn::Join(waiter)) => {
                    match self.join::<R, M>(waiter, place.slot, call).await? {
                        Ok(value) => return Ok((value, Outcome::Joined)),
                        Err(why) => refused = Some(why),
                    }
                }
            }
        }
    }

    fn turn(&self, place: &Place<K>, call: Ticket, absence: bool) -> Result<Turn<K, V>, LoadError> {
        let lead = match self.flights.enter(&place.key, place.slot, call)? {
            Entered::Join(waiter) => return Ok(Turn::Join(waiter)),
            Entered::Lead(lead) => lead,
        };
        match self.second_look(&place.key, absence) {
            Err(why) => Ok(Turn::Lead(lead, why)),
            Ok(landed) => {
                let (value, outcome) = (landed.value.clone(), landed.outcome);
                lead.settle(landed);
                Ok(Turn::Answered(value, outcome))
            }
        }
    }

    /// The leader looks again, now that others wait for it: the load before it may have ended
    /// between the first look and its registration.
    fn second_look(&self, key: &K, absence: bool) -> Result<Landed<V>, Why> {
        let entry = match self.near.look(key) {
            Looked::Unusable(why) => return Err(why),
            Looked::Fresh(entry) if entry.value.is_none() && !absence => {
                return Err(Why::AbsenceHeld);
            }
            Looked::Fresh(entry) => entry,
        };
        Ok(Landed {
            outcome: self.near.outcome(&entry, self.near.now()),
            value: entry.value,
            tags: entry.tags,
            ticket: entry.ticket,
        })
    }

    /// The result of another's load, or why it cannot be this call's.
    async fn join<R: Answer<V, M>, M>(
        &self,
        waiter: Waiter<Landed<V>>,
        slot: Slot,
        call: Ticket,
    ) -> Result<Result<Option<Arc<V>>, Why>, LoadError> {
        match waiter.wait().await {
            Ok(landed) => Ok(self.hand_out::<R, M>(landed, slot, call)),
            Err(error) if error.kind() == LoadErrorKind::HandedOver => Ok(Err(Why::HandedOver)),
            Err(error) => Err(error),
        }
    }

    /// The hand-out check.
    fn hand_out<R: Answer<V, M>, M>(
        &self,
        landed: Landed<V>,
        slot: Slot,
        call: Ticket,
    ) -> Result<Option<Arc<V>>, Why> {
        let ticket = landed.ticket;
        let later = ticket.clock >= call.clock;
        if !later && !self.near.is_current(slot, &landed.tags, ticket) {
            return Err(Why::Refused);
        }
        if ticket.at < call.at && !self.near.sees(ticket, self.near.now()) {
            return Err(Why::Blind);
        }
        if landed.value.is_none() && !R::ABSENCE {
            return Err(Why::AbsenceHeld);
        }
        Ok(landed.value)
    }

    async fn lead<R, M, B, F, A>(
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
        let load = async move { inner.bring(&there, ticket, source, R::ABSENCE).await };
        let inner = Arc::clone(self);
        let keep = move |brought| inner.keep(place, ticket, brought);
        let landed = lead.start(deadline, load, keep).wait().await?;
        Ok((landed.value, landed.outcome))
    }

    async fn lead_here<R, M, B, F, A>(
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
        let load = async move { self.bring(&there, ticket, source, R::ABSENCE).await };
        let keep = |brought| self.keep(place, ticket, brought);
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
        let current = |tags: &[String]| {
            let tags = self.near.tag_slots(tags);
            self.near.is_current(place.slot, &tags, ticket)
        };
        let tags = &source.terms.tags;
        match far.look(&place.name, tags, Want::Load, current).await? {
            FarLook::Hit(found) if found.value.is_some() || absence => Ok(Brought {
                outcome: self.near.outcome_far(&found),
                value: found.value,
                tags: found.tags,
                ends: Some(found.ends),
            }),
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

    /// The near tier's part, once the load is sure to be used.
    fn keep(&self, place: Place<K>, ticket: Ticket, brought: Brought<V>) -> Landed<V> {
        let tags = self.near.tag_slots(&brought.tags);
        let mut landed = Landed {
            value: brought.value,
            tags,
            ticket,
            outcome: brought.outcome,
        };
        let Some(ends) = brought.ends else {
            return landed;
        };
        let entry = Entry {
            value: landed.value.clone(),
            ends,
            ticket,
            slot: place.slot.index(),
            tags: landed.tags.clone(),
        };
        match self.near.keep(place.key, entry) {
            Kept::Stored => landed.outcome.set_stored(),
            Kept::Refused => self.counters.refused.add(),
            Kept::TooHeavy => self.counters.too_heavy.add(),
            Kept::NotAsked => {}
        }
        landed
    }
}
