//! Running the user's function.

mod renew;

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_lite::FutureExt;
use larder_core::{Key, LoadError, Moment, Ticket, Ttl, guard};
use larder_memory::Renewal;

use crate::answer::{Answer, Told};
use crate::cache::Inner;
use crate::far::{About, Claim, Hold, Item};
use crate::load::{Ask, Brought, Hand, Place};
use crate::log;
use crate::meter;
use crate::mode::Mode;
use crate::near::NearTier;
use crate::outcome::{Outcome, Why};
use crate::span::Life;
use crate::terms::{After, Terms};
use renew::renewed;

/// The user's function with what was said of its result, before and after.
pub(crate) struct Source<B, A> {
    pub(crate) body: B,
    pub(crate) after: A,
    pub(crate) wish: Wish,
}

/// What a load is to bring.
pub(crate) struct Wish {
    pub(crate) terms: Terms,
    pub(crate) mode: Mode,
    pub(crate) why: Why,
    /// Whether the source is given back, and not run, where the far tier has something past its
    /// time.
    pub(crate) gives_back: bool,
    /// What the far tier has must end later than that.
    newer_than: Option<Moment>,
    /// Where the function finds the old result, if it asks for that.
    hand: Option<Hand>,
    /// Whether it waits where another node loads.
    pub(crate) waits: bool,
}

/// What a source said beside its result, and when.
pub(crate) struct Ended {
    pub(crate) terms: Terms,
    pub(crate) after: After,
    /// What the source knows the result by, if it may be asked about it.
    pub(crate) validator: Option<Box<[u8]>>,
    pub(crate) mode: Mode,
    pub(crate) why: Why,
    pub(crate) cost: Duration,
    /// Of the load.
    pub(crate) ticket: Ticket,
    /// When the load's time is over.
    pub(crate) end: Moment,
}

impl<B, A> Source<B, A> {
    pub(crate) fn new(body: B, after: A, ask: &Ask) -> Self {
        let wish = Wish {
            terms: ask.terms.clone(),
            mode: ask.mode,
            why: Why::Absent,
            gives_back: false,
            newer_than: None,
            hand: ask.hand.clone(),
            waits: true,
        };
        Self { body, after, wish }
    }

    /// For a load that is waited for.
    pub(crate) fn wanted(&mut self, why: Why, gives_back: bool) {
        self.wish.why = why;
        self.wish.gives_back = gives_back;
    }

    /// For a refresh of what ends then.
    pub(crate) fn refreshes(&mut self, newer_than: Option<Moment>) {
        self.wish.gives_back = false;
        self.wish.newer_than = newer_than;
    }
}

impl Wish {
    /// Whether what the far tier has is news. The ends of one value differ from read to read, by
    /// what reads take.
    pub(crate) fn accepts(&self, ends: Moment, reads_take: Duration) -> bool {
        let newer = |than: Moment| ends > than.after(reads_take);
        self.newer_than.is_none_or(newer)
    }
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Runs the function and stores its result far, if the ticket still holds and the load's time
    /// is not over at `end`.
    pub(crate) async fn run_source<R, M, B, F, A>(
        &self,
        place: &Place<K>,
        ticket: Ticket,
        end: Moment,
        claim: Option<Claim>,
        source: Source<B, A>,
    ) -> Result<Brought<V>, LoadError>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
        A: FnOnce(&R::Kept) -> After,
    {
        let previous = self.offer(place, &source.wish, R::ABSENCE);
        let hold = Hold::new(self.far.as_ref(), &place.name, claim);
        let began = self.near.now();
        let body = async { (source.body)().await };
        // A panic as well: what there is to fall back to is served then, and the source left alone.
        let load = AssertUnwindSafe(log::load(&self.name, body)).catch_unwind();
        let told = parts(load.await, source.after);
        let asked = source.wish.hand.is_some();
        let (result, after, validator) = match told.and_then(|told| renewed(told, previous, asked))
        {
            Ok((value, after, validator)) => (Ok(value), after, validator),
            Err(error) => (Err(error), After::default(), None),
        };
        let ended = Ended {
            terms: source.wish.terms,
            after,
            validator,
            mode: source.wish.mode,
            why: source.wish.why,
            cost: self.near.now().since(began),
            ticket,
            end,
        };
        meter::loaded(&self.name, ended.cost, &result);
        self.end_load(place, hold.over(), result, ended).await
    }

    /// Stores what a source gave far, if the ticket still holds.
    pub(crate) async fn end_load(
        &self,
        place: &Place<K>,
        claim: Option<Claim>,
        result: Result<Option<Arc<V>>, LoadError>,
        ended: Ended,
    ) -> Result<Brought<V>, LoadError> {
        let keeps = self.keeps(ended.mode, place);
        let value = match result {
            Ok(value) => value,
            Err(error) => {
                if keeps {
                    self.failed(place, ended.ticket, &ended.terms, &error);
                }
                if let (Some(far), true) = (&self.far, keeps && !error.falls_back()) {
                    far.change(Item::Key(place.name.clone())).await;
                }
                self.let_go(place, claim).await;
                return Err(error);
            }
        };
        let times = self.times.with(&ended.terms).after(&ended.after);
        let mut tags = ended.terms.tags;
        tags.extend(ended.after.tags);
        let life = times.life(value.is_some(), ended.cost, &self.dice());
        let renewal = ended.validator.map(|validator| {
            let tags = tags.clone();
            Arc::new(Renewal { validator, tags })
        });
        let mut brought = Brought {
            value,
            ticket: ended.ticket,
            tags,
            renewal,
            span: life.map(|life| life.span(self.near.now(), self.near.step())),
            outcome: Outcome::Loaded {
                why: ended.why,
                stored: false,
            },
        };
        match life.filter(|_| keeps) {
            None => self.let_go(place, claim).await,
            Some(life) => {
                let spent = (ended.cost, ended.end);
                let stored = self.store_far(place, claim, &brought, life, spent);
                if stored.await {
                    brought.outcome.set_stored();
                } else if self.has_foreign_writers() {
                    let unwatched = |span| self.near.unwatched(span, ended.ticket);
                    brought.span = guard!(UnwatchedEnds, brought.span.map(unwatched), brought.span);
                }
            }
        }
        Ok(brought)
    }

    /// Whether others than larder write what the far tier holds.
    pub(crate) fn has_foreign_writers(&self) -> bool {
        let far = self.far.as_ref();
        far.is_some_and(|far| far.has_foreign_writers())
    }

    /// After a load that failed: its source is left alone while there is something to fall back to,
    /// and else the error is kept, if that was asked for. Where it says that there is nothing any more,
    /// what is held is served to nobody again, also where nobody waited for the load.
    fn failed(&self, place: &Place<K>, ticket: Ticket, terms: &Terms, error: &LoadError) {
        if !error.falls_back() {
            self.near.forget(&place.key, place.slot, ticket);
        }
        self.leave_alone(place, error);
        let ttl = terms.error_ttl.as_ref().or(self.error_ttl.as_ref());
        let ttl = ttl.and_then(|ttl| ttl.ask(error));
        let Some(ttl) = ttl.and_then(|ttl| Ttl::new(ttl).ok()) else {
            return;
        };
        let ends = self
            .near
            .now()
            .after(ttl.duration())
            .before(self.near.step());
        let tags = self.near.tag_slots(&terms.tags);
        let slot = place.slot;
        let entry = NearTier::<K, V>::failed(error.clone(), &tags, ticket, slot, ends);
        self.near.keep_error(place.key.clone(), entry);
    }

    /// Where the store hangs, half of what is left of the load's time is for handing the value out.
    async fn store_far(
        &self,
        place: &Place<K>,
        claim: Option<Claim>,
        brought: &Brought<V>,
        life: Life,
        (cost, end): (Duration, Moment),
    ) -> bool {
        let (Some(far), Some(claim)) = (&self.far, claim) else {
            return false;
        };
        let claim = guard!(
            FarTicketBeforeLoad,
            claim,
            match far.claim(&place.name).await {
                crate::far::Claimed::Holds(late) => late,
                _ => claim,
            }
        );
        let claim = claim.within(end.since(self.near.now()) / 2);
        let renewal = brought.renewal.as_ref();
        let about = About {
            validator: renewal.map(|renewal| &*renewal.validator),
            ..About::of(&brought.tags, life, cost)
        };
        let value = brought.value.as_deref();
        far.store(&place.name, &claim, value, &about).await
    }

    /// Chance, from 0 to below 1.
    pub(crate) fn dice(&self) -> impl Fn() -> f64 + Sync + use<'_, K, V> {
        || (self.runtime.random() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) async fn let_go(&self, place: &Place<K>, claim: Option<Claim>) {
        if let (Some(far), Some(claim)) = (&self.far, claim) {
            far.let_go(&place.name, &claim).await;
        }
    }
}

/// In a function of its own: an answer need not be `Send`, so no await may see one.
fn parts<V, R, M>(
    answer: Result<R, Box<dyn Any + Send>>,
    after: impl FnOnce(&R::Kept) -> After,
) -> Result<Told<V>, LoadError>
where
    R: Answer<V, M>,
{
    let answer = answer.map_err(|payload| LoadError::from_panic(&*payload))?;
    let after = answer.ok().map(after).unwrap_or_default();
    Ok(answer.tell()?.under(after))
}
