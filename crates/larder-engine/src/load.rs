//! The way of a miss: join, or lead.

use std::future::Future;
use std::sync::Arc;

use larder_core::{Key, LoadError, LoadErrorKind, Ticket};
use larder_flight::{Entered, Lead, Slot};

use crate::answer::Answer;
use crate::cache::Inner;
use crate::lifetime::{Terms, Times};
use crate::near::{Kept, Looked};
use crate::outcome::{Outcome, Why};

/// What a call asks for beside the key.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ask {
    pub(crate) terms: Terms,
    /// Where no load may start, the function runs in the call, past the cache.
    pub(crate) bypass: bool,
}

/// What a flight brings to all who wait for it.
pub(crate) struct Landed<V> {
    value: Option<Arc<V>>,
    /// Of the value: older than the flight's where the leader found the value in the near tier.
    ticket: Ticket,
    stored: bool,
}

impl<V> Clone for Landed<V> {
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            ticket: self.ticket,
            stored: self.stored,
        }
    }
}

type Loaded<V> = Result<(Option<Arc<V>>, Outcome), LoadError>;

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Joins the load of `key` that runs, or leads one that runs `body`.
    ///
    /// A result that the call joined is checked when it is handed out: it was loaded after the call
    /// began, or nothing was invalidated since. Else the call goes round once more; a flight that
    /// it finds then is newer than the invalidation, so a second refusal needs a second one.
    pub(crate) async fn load<R, M, B, F>(self: &Arc<Self>, key: K, ask: Ask, body: B) -> Loaded<V>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        let slot = self.near.slot(&key);
        let call = self.near.ticket();
        let mut refused = None;
        loop {
            match self.flights.enter(&key, slot, call) {
                Err(error) if ask.bypass && error.kind() == LoadErrorKind::Refused => {
                    return Ok((body().await.split()?, Outcome::BYPASSED));
                }
                Err(error) => return Err(error),
                Ok(Entered::Lead(lead)) => {
                    let way = self.second_look(&key, R::ABSENCE);
                    let why = match way {
                        Ok((landed, outcome)) => {
                            let value = landed.value.clone();
                            lead.settle(landed);
                            return Ok((value, outcome));
                        }
                        Err(why) => refused.unwrap_or(why),
                    };
                    return self.lead(lead, key, slot, why, ask.terms, body).await;
                }
                Ok(Entered::Join(waiter)) => {
                    let landed = waiter.wait().await?;
                    match self.join::<R, M>(landed, slot, call) {
                        Ok(value) => return Ok((value, Outcome::Joined)),
                        Err(why) => refused = Some(why),
                    }
                }
            }
        }
    }

    /// The leader looks again, now that others wait for it: the load before it may have ended
    /// between the first look and its registration.
    fn second_look(&self, key: &K, absence: bool) -> Result<(Landed<V>, Outcome), Why> {
        let entry = match self.near.look(key) {
            Looked::Unusable(why) => return Err(why),
            Looked::Fresh(entry) if entry.value.is_none() && !absence => {
                return Err(Why::AbsenceHeld);
            }
            Looked::Fresh(entry) => entry,
        };
        let outcome = self.near.outcome(&entry, self.near.now());
        let landed = Landed {
            value: entry.value,
            ticket: entry.ticket,
            stored: true,
        };
        Ok((landed, outcome))
    }

    /// The hand-out check.
    fn join<R: Answer<V, M>, M>(
        &self,
        landed: Landed<V>,
        slot: Slot,
        call: Ticket,
    ) -> Result<Option<Arc<V>>, Why> {
        let newer = landed.ticket.clock >= call.clock;
        if !newer && !self.near.is_current(slot, landed.ticket) {
            return Err(Why::Refused);
        }
        if landed.value.is_none() && !R::ABSENCE {
            return Err(Why::AbsenceHeld);
        }
        Ok(landed.value)
    }

    async fn lead<R, M, B, F>(
        self: &Arc<Self>,
        lead: Lead<K, Landed<V>>,
        key: K,
        slot: Slot,
        why: Why,
        terms: Terms,
        body: B,
    ) -> Loaded<V>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        let times = self.times.with(terms);
        let ticket = lead.ticket();
        let inner = Arc::clone(self);
        let load = async move { body().await.split() };
        let keep = move |value| inner.keep(key, slot, value, ticket, &times);
        let landed = lead.start(times.deadline, load, keep).wait().await?;
        let outcome = Outcome::Loaded {
            why,
            stored: landed.stored,
        };
        Ok((landed.value, outcome))
    }

    fn keep(
        &self,
        key: K,
        slot: Slot,
        value: Option<Arc<V>>,
        ticket: Ticket,
        times: &Times,
    ) -> Landed<V> {
        let lifetime = times.of(value.as_ref());
        let kept = self.near.keep(key, slot, value.clone(), ticket, lifetime);
        if kept == Kept::Refused {
            self.counters.refused.add();
        }
        Landed {
            value,
            ticket,
            stored: kept == Kept::Stored,
        }
    }
}
