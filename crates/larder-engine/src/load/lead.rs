//! Leading a load: from the far tier, else from the source, into the near tier.

use std::future::Future;
use std::sync::Arc;

use futures_lite::FutureExt;
use larder_core::{Key, LoadError, Moment, Ticket, guard};
use larder_flight::{Away, Lead, Waiter};

use super::back::Back;
use super::overdue::Overdue;
use super::seek::Sought;
use super::{Brought, Landed, Place};
use crate::answer::Answer;
use crate::cache::Inner;
use crate::event::{Tier, What};
use crate::far::FarValue;
use crate::mode::Mode;
use crate::near::{Kept, Old};
use crate::outcome::Stale;
use crate::source::Source;
use crate::terms::{After, Terms};

/// What a load comes back with.
enum Found<V, S> {
    Brought(Brought<V>),
    /// All that the far tier had is past its time. The source was not run.
    Old(Old<V>, S),
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    pub(crate) fn lead<R, M, B, F, A>(
        self: &Arc<Self>,
        lead: Lead<K, Landed<V>>,
        place: Place<K>,
        source: Source<B, A>,
    ) -> (Waiter<Landed<V>>, Back<Source<B, A>>)
    where
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        A: FnOnce(&R::Kept) -> After + Send + 'static,
    {
        let ticket = lead.ticket();
        let deadline = self.times.with(&source.wish.terms).deadline;
        let mode = source.wish.mode;
        let overdue = Overdue::new(self, place.clone(), self.near.now().after(deadline));
        let load = |away| async move {
            let inner = overdue.inner();
            let brought = inner.bring(overdue.places(), ticket, source, R::ABSENCE, away);
            let brought = brought.await;
            overdue.ended();
            brought
        };
        let inner = Arc::clone(self);
        let back = Back::new();
        let given = back.again();
        let keep = move |found| inner.kept(place, mode, found, |source| given.put(source));
        // A look into the far tier is like one that finds something: no task is worth it.
        let waiter = if self.far.is_some() {
            lead.carry(deadline, |away| load(Some(away)), keep)
        } else {
            lead.start(deadline, load(None), keep)
        };
        (waiter, back)
    }

    /// Leads a load that nobody waits for; it ends when the larder shuts down, and a call that has
    /// joined it then loads for itself.
    pub(super) fn refresh<R, M, B, F, A>(
        self: &Arc<Self>,
        lead: Lead<K, Landed<V>>,
        place: Place<K>,
        source: Source<B, A>,
    ) where
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        A: FnOnce(&R::Kept) -> After + Send + 'static,
    {
        self.counters.refresh();
        let ticket = lead.ticket();
        let deadline = self.times.with(&source.wish.terms).deadline;
        let (inner, there, mode) = (Arc::clone(self), place.clone(), source.wish.mode);
        let load = async move {
            let stopped = async { Err(inner.stop.wait().await) };
            let brought = inner.bring(&there, ticket, source, R::ABSENCE, None);
            stopped.or(brought).await
        };
        let (inner, there) = (Arc::clone(self), place.clone());
        let keep = move |found| inner.kept(there, mode, found, drop);
        let waiter = lead.start(deadline, load, keep);
        self.watch(place, Box::pin(waiter.wait()));
    }

    pub(super) async fn lead_here<R, M, B, F, A>(
        &self,
        lead: Lead<K, Landed<V>>,
        place: Place<K>,
        source: Source<B, A>,
    ) -> (Result<Landed<V>, LoadError>, Back<Source<B, A>>)
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
        A: FnOnce(&R::Kept) -> After,
    {
        let ticket = lead.ticket();
        let deadline = self.times.with(&source.wish.terms).deadline;
        let there = place.clone();
        let mode = source.wish.mode;
        let load = async move { self.bring(&there, ticket, source, R::ABSENCE, None).await };
        let back = Back::new();
        let keep = |found| self.kept(place, mode, found, |source| back.put(source));
        let landed = lead.hold(deadline, load, keep).await;
        (landed, back)
    }

    /// From the far tier, else from the source: that is run where the load is `away` from its caller,
    /// unless it is to be run here.
    async fn bring<R, M, B, F, A>(
        &self,
        place: &Place<K>,
        ticket: Ticket,
        mut source: Source<B, A>,
        absence: bool,
        away: Option<Away<Landed<V>>>,
    ) -> Result<Found<V, Source<B, A>>, LoadError>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
        A: FnOnce(&R::Kept) -> After,
    {
        let deadline = self.times.with(&source.wish.terms).deadline;
        let end = self.near.now().after(deadline);
        let Some(far) = &self.far else {
            let brought = Box::pin(self.run_source(place, ticket, end, None, source)).await;
            return brought.map(Found::Brought);
        };
        let sought = self.seek(far, place, (ticket, end), &mut source.wish, absence);
        let (sought, ticket) = sought.await?;
        let claim = match sought {
            Sought::Brought(brought) => return Ok(Found::Brought(brought)),
            Sought::Old(old) => return Ok(Found::Old(old, source)),
            Sought::Nothing(claim) => claim,
        };
        if let Some(away) = away {
            away.go().await;
        }
        // In a box of its own: it takes three times the room of a look, with which nearly all end.
        let brought = Box::pin(self.run_source(place, ticket, end, claim, source)).await;
        brought.map(Found::Brought)
    }

    /// What the far tier has past its time, read under `ticket`.
    pub(crate) fn old_of(&self, found: FarValue<V>, ticket: Ticket) -> Old<V> {
        let tags = self.near.tag_slots(&found.tags);
        found.old(tags, ticket, self.near.now())
    }

    /// What the far tier has of this, for a load.
    pub(crate) fn brought(&self, found: FarValue<V>, ticket: Ticket, terms: &Terms) -> Brought<V> {
        let times = self.times.with(terms);
        Brought {
            ticket,
            outcome: self.near.outcome_far(&found),
            span: Some(found.span(&times, &self.dice())),
            renewal: found.renewal(),
            value: found.value,
            tags: found.tags,
        }
    }

    /// Keeps near what the far tier has past its time, to serve it while nothing newer is there.
    /// What was expired by hand is not told from that near, and so it is not kept.
    pub(crate) fn keep_old(&self, place: &Place<K>, old: &Old<V>, mode: Mode) {
        if !old.expired && place.fits && mode.and(self.switch.mode()).keeps() {
            self.near.keep_old(place.key.clone(), old, place.slot);
        }
    }

    /// What comes of a load, once it is sure to be used.
    fn kept<S>(
        &self,
        place: Place<K>,
        mode: Mode,
        found: Found<V, S>,
        give_back: impl FnOnce(S),
    ) -> Landed<V> {
        match found {
            Found::Brought(brought) => self.keep(place, mode, brought),
            Found::Old(old, source) => {
                give_back(source);
                self.keep_old(&place, &old, mode);
                Landed {
                    value: old.value.clone(),
                    tags: old.tags.clone(),
                    ticket: old.ticket,
                    fresh: Moment::MAX,
                    outcome: old.outcome(Stale::Refresh, self.near.now()),
                    old: Some(old),
                }
            }
        }
    }

    /// The near tier's part.
    ///
    /// A switch that was turned off meanwhile counts.
    pub(crate) fn keep(&self, place: Place<K>, mode: Mode, brought: Brought<V>) -> Landed<V> {
        let ticket = guard!(TicketBeforeLoad, brought.ticket, self.near.ticket());
        let at = guard!(SightFromTicket, ticket.at, self.near.now());
        let ticket = Ticket { at, ..ticket };
        let mut landed = Landed {
            value: brought.value,
            tags: self.near.tag_slots(&brought.tags),
            ticket,
            fresh: brought.span.map_or(Moment::MAX, |span| span.fresh),
            outcome: brought.outcome,
            old: None,
        };
        let keeps = guard!(KeepsMode, mode.and(self.switch.mode()).keeps(), true);
        let keeps = place.fits && keeps;
        let Some(span) = brought.span.filter(|_| keeps) else {
            return landed;
        };
        let value = landed.value.clone();
        let entry = self.near.entry(
            value,
            &landed.tags,
            ticket,
            place.slot,
            span,
            brought.renewal,
        );
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
