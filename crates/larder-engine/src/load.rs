//! The way of a miss: join, or lead.

mod lead;
mod past;

use std::future::Future;
use std::sync::Arc;

use larder_core::{Key, LoadError, LoadErrorKind, Moment, Ticket, guard};
use larder_flight::{Entered, Lead, Slot, Waiter};
use larder_memory::TagSlots;

use crate::answer::Answer;
use crate::cache::Inner;
use crate::lifetime::{After, Terms};
use crate::mode::Mode;
use crate::near::Looked;
use crate::outcome::{Outcome, Why};
use crate::source::Source;

pub(crate) use lead::want;

/// What a call asks for beside the key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ask {
    pub(crate) terms: Terms,
    pub(crate) life: Life,
    /// Where no load may start, the function runs in the call, past the cache.
    pub(crate) bypass: bool,
    pub(crate) mode: Mode,
}

/// How long a load that a call starts lives on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Life {
    /// To its end, whoever leaves.
    #[default]
    Detach,
    /// Until the last caller has left.
    Cancel,
}

impl Ask {
    pub(crate) fn under(mut self, mode: Mode) -> Self {
        self.mode = self.mode.and(mode);
        self
    }

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

impl<V> Landed<V> {
    /// The answer of the call that led.
    pub(crate) fn answer(&self) -> (Option<Arc<V>>, Outcome) {
        (self.value.clone(), self.outcome)
    }
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

pub(crate) type Answered<V> = Result<(Option<Arc<V>>, Outcome), LoadError>;

/// How a call that missed goes on when it has waited for others.
enum Way<K, V> {
    Lead(Lead<K, Landed<V>>, Why),
    /// The function runs in the call, past the cache.
    Past,
    Answered(Option<Arc<V>>, Outcome),
}

/// What is next for a call that missed.
enum Turn<K, V> {
    Lead(Lead<K, Landed<V>>, Why),
    Join(Waiter<Landed<V>>),
    Answered(Option<Arc<V>>, Outcome),
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Joins the load of `key` that runs, or leads one that looks into the far tier and then runs
    /// `body`, detached.
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
        let ask = ask.under(self.mode());
        if ask.mode == Mode::Off {
            return self.past(&ask, body).await;
        }
        let place = self.place(key);
        match self.way::<R, M>(&place, &ask).await? {
            Way::Answered(value, outcome) => Ok((value, outcome)),
            Way::Past => self.past(&ask, body).await,
            Way::Lead(lead, why) => {
                if ask.life == Life::Cancel {
                    lead.end_with_callers();
                }
                let source = Source {
                    body,
                    after,
                    terms: ask.terms,
                    mode: ask.mode,
                    why,
                };
                self.lead(lead, place, source).await
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
        let ask = ask.under(self.mode());
        if ask.mode == Mode::Off {
            return self.past(&ask, body).await;
        }
        let place = self.place(key);
        match self.way::<R, M>(&place, &ask).await? {
            Way::Answered(value, outcome) => Ok((value, outcome)),
            Way::Past => self.past(&ask, body).await,
            Way::Lead(lead, why) => {
                let source = Source {
                    body,
                    after,
                    terms: ask.terms,
                    mode: ask.mode,
                    why,
                };
                self.lead_here(lead, place, source).await
            }
        }
    }

    /// Waits for what others load, until there is an answer or the call leads.
    ///
    /// A result that the call joined is checked when it is handed out: it was loaded after the call
    /// began, or nothing was invalidated since. Else the call goes round once more; a flight that
    /// it finds then is newer than the invalidation, so a second refusal needs a second one.
    ///
    /// A call that does not look waits for the load that it finds, because there is one of a key at
    /// a time, and takes the answer of the next: that began after the call.
    async fn way<R, M>(&self, place: &Place<K>, ask: &Ask) -> Result<Way<K, V>, LoadError>
    where
        R: Answer<V, M>,
    {
        let call = self.near.ticket();
        let mut refused = None;
        let mut began_later = ask.mode.looks();
        loop {
            let absence = ask.mode.looks().then_some(R::ABSENCE);
            let waiter = match self.turn(place, call, absence) {
                Err(error) if ask.passes(&error) => return Ok(Way::Past),
                Err(error) => return Err(error),
                Ok(Turn::Answered(value, outcome)) => return Ok(Way::Answered(value, outcome)),
                Ok(Turn::Lead(lead, why)) => return Ok(Way::Lead(lead, refused.unwrap_or(why))),
                Ok(Turn::Join(waiter)) => waiter,
            };
            if !began_later {
                began_later = true;
                match waiter.wait().await {
                    Err(error) if error.kind() == LoadErrorKind::Recursive => return Err(error),
                    _ => continue,
                }
            }
            if ask.life == Life::Detach {
                waiter.stay();
            }
            let joined = self.join::<R, M>(waiter, place.slot, call, ask.mode);
            match joined.await? {
                Ok(value) => return Ok(Way::Answered(value, Outcome::Joined)),
                Err(why) => refused = Some(why),
            }
        }
    }

    /// `absence`: whether the call can say absence; `None` if it does not look.
    fn turn(
        &self,
        place: &Place<K>,
        call: Ticket,
        absence: Option<bool>,
    ) -> Result<Turn<K, V>, LoadError> {
        let lead = match self.flights.enter(&place.key, place.slot, call)? {
            Entered::Join(waiter) => return Ok(Turn::Join(waiter)),
            Entered::Lead(lead) => lead,
        };
        let Some(absence) = absence else {
            return Ok(Turn::Lead(lead, Why::WriteOnly));
        };
        let found = self.second_look(&place.key, absence);
        match guard!(SecondLook, found, Err(Why::Absent)) {
            Err(why) => Ok(Turn::Lead(lead, why)),
            Ok(landed) => {
                let (value, outcome) = landed.answer();
                lead.settle(landed);
                Ok(Turn::Answered(value, outcome))
            }
        }
    }

    /// The leader looks again, now that others wait for it: the load before it may have ended
    /// between the first look and its registration.
    pub(crate) fn second_look(&self, key: &K, absence: bool) -> Result<Landed<V>, Why> {
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
            ticket: entry.freshness.ticket,
        })
    }

    /// The result of another's load, or why it cannot be this call's.
    pub(crate) async fn join<R: Answer<V, M>, M>(
        &self,
        waiter: Waiter<Landed<V>>,
        slot: Slot,
        call: Ticket,
        mode: Mode,
    ) -> Result<Result<Option<Arc<V>>, Why>, LoadError> {
        match waiter.wait().await {
            // Its leader looked, and found what others had loaded.
            Ok(landed) if !mode.looks() && !landed.outcome.is_loaded() => Ok(Err(Why::WriteOnly)),
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
        let current = later || self.near.is_current(slot, &landed.tags, ticket);
        if guard!(HandOutCheck, !current, false) {
            return Err(Why::Refused);
        }
        let seen = ticket.at >= call.at || self.near.sees(ticket, self.near.now());
        if guard!(HandOutSight, !seen, false) {
            return Err(Why::Blind);
        }
        if landed.value.is_none() && !R::ABSENCE {
            return Err(Why::AbsenceHeld);
        }
        Ok(landed.value)
    }
}
