//! The way of a miss: join, or lead.

mod back;
mod lead;
mod old;
mod overdue;
mod past;
mod previous;
mod round;
mod seek;
mod way;

use std::future::Future;
use std::sync::Arc;

use larder_core::{Key, LoadError, LoadErrorKind, Moment, Ticket};
use larder_flight::Slot;
use larder_memory::{Renewal, TagSlots};

use crate::answer::Answer;
use crate::cache::Inner;
use crate::mode::Mode;
use crate::near::Old;
use crate::outcome::Outcome;
use crate::source::Source;
use crate::span::Span;
use crate::terms::{After, Terms};
use way::Way;

pub(crate) use overdue::{Overdue, Places};
pub(crate) use previous::Hand;
pub use previous::Previous;
pub(crate) use round::Round;
pub(crate) use seek::want;

/// What a call asks for beside the key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ask {
    pub(crate) terms: Terms,
    pub(crate) life: Life,
    /// Where no load may start, the function runs in the call, past the cache.
    pub(crate) bypass: bool,
    pub(crate) mode: Mode,
    /// Where the function finds the old result, if it asks for that.
    pub(crate) hand: Option<Hand>,
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
    /// From then on it is not fresh. The flight may end later: it stores far, and of what the source
    /// gave for several keys all are stored at once.
    fresh: Moment,
    outcome: Outcome,
    /// It is past its time: all that the far tier had, before anything was loaded.
    old: Option<Old<V>>,
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
            fresh: self.fresh,
            outcome: self.outcome,
            old: self.old.clone(),
        }
    }
}

/// What a load found, in the far tier or at the source, before the near tier keeps it.
pub(crate) struct Brought<V> {
    pub(crate) value: Option<Arc<V>>,
    /// From before anything was read that it is made of: the load's own, or from when it had waited
    /// for another node's.
    pub(crate) ticket: Ticket,
    pub(crate) tags: Vec<String>,
    /// When it is used; `None` if it is not to be kept.
    pub(crate) span: Option<Span>,
    /// What it takes to keep it anew, if that is to be kept.
    pub(crate) renewal: Option<Arc<Renewal>>,
    pub(crate) outcome: Outcome,
}

/// A key with what it is found by in the tiers.
#[derive(Clone)]
pub(crate) struct Place<K> {
    pub(crate) key: K,
    pub(crate) slot: Slot,
    /// The key's name in the far tier, if there is one.
    pub(crate) name: bytes::Bytes,
    /// Whether the key is short enough for something to be kept under it.
    pub(crate) fits: bool,
}

pub(crate) type Answered<V> = Result<(Option<Arc<V>>, Outcome), LoadError>;

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Joins the load of `key` that runs, or leads one that looks into the far tier and then runs
    /// `body`, detached.
    pub(crate) async fn load<R, M, B, F, A>(
        self: &Arc<Self>,
        key: K,
        ask: Ask,
        body: B,
        after: A,
    ) -> Answered<V>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        A: FnOnce(&R::Kept) -> After + Send + 'static,
    {
        let ask = ask.under(self.mode());
        if ask.mode == Mode::Off {
            return Box::pin(self.past(&ask, body)).await;
        }
        let place = self.place(key);
        let mut round = Round::new(self.near.ticket(), &self.times.with(&ask.terms));
        let mut source = Source::new(body, after, &ask);
        loop {
            match self.way::<R, M>(&place, &ask, &mut round).await? {
                Way::Answered(value, outcome) => return Ok((value, outcome)),
                Way::Past => return Box::pin(self.past(&ask, source.body)).await,
                Way::Refresh(lead, refresh) => {
                    source.refreshes(refresh.newer_than);
                    self.refresh(lead, place, source);
                    return Ok(refresh.answer);
                }
                Way::Lead(lead, why) => {
                    if ask.life == Life::Cancel {
                        lead.end_with_callers();
                    }
                    source.wanted(why, round.old.is_none());
                    let (waiter, back) = self.lead(lead, place.clone(), source);
                    let landed = self.patient::<R, M>(waiter, &place, &ask, &round).await;
                    match self.landed::<R, M>(landed, &place, &ask, &mut round)? {
                        Some(answer) => return Ok(answer),
                        None => source = back.take(),
                    }
                }
            }
        }
    }

    /// As [`load`](Self::load), but a load that is led runs in the call and ends with it.
    pub(crate) async fn load_here<R, M, B, F, A>(
        self: &Arc<Self>,
        key: K,
        ask: Ask,
        body: B,
        after: A,
    ) -> Answered<V>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
        A: FnOnce(&R::Kept) -> After,
    {
        let ask = ask.under(self.mode());
        if ask.mode == Mode::Off {
            return Box::pin(self.past(&ask, body)).await;
        }
        let place = self.place(key);
        let mut round = Round::here(self.near.ticket());
        let mut source = Source::new(body, after, &ask);
        loop {
            match self.way::<R, M>(&place, &ask, &mut round).await? {
                Way::Answered(value, outcome) => return Ok((value, outcome)),
                Way::Past => return Box::pin(self.past(&ask, source.body)).await,
                Way::Refresh(_, refresh) => return Ok(refresh.answer),
                Way::Lead(lead, why) => {
                    source.wanted(why, round.old.is_none());
                    let (landed, back) = self.lead_here(lead, place.clone(), source).await;
                    let landed = landed.map(Ok);
                    match self.landed::<R, M>(landed, &place, &ask, &mut round)? {
                        Some(answer) => return Ok(answer),
                        None => source = back.take(),
                    }
                }
            }
        }
    }
}
