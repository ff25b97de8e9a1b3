//! What a batch loads: from the far tier in one trip, the rest from the source in one call.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_lite::FutureExt;
use larder_core::{Key, LoadError, Moment, Ticket, guard};
use larder_flight::Early;

use super::batch::Led;
use super::pairs::Pairs;
use crate::answer::Told;
use crate::cache::Inner;
use crate::far::{FarLook, Hold};
use crate::load::{Ask, Brought, want};
use crate::log;
use crate::meter;
use crate::outcome::Why;
use crate::source::Ended;
use crate::together::together;

/// What became of one key of a load.
type Ending<V> = (usize, Result<Brought<V>, LoadError>);

/// What the function gave, by key.
pub(super) type Found<K, V> = HashMap<K, Result<Told<V>, LoadError>>;

/// What a batch loads, and whether it has waited for other nodes.
struct Turn<'a, K> {
    led: &'a [Led<K>],
    ask: &'a Ask,
    waited: Option<Ticket>,
}

impl<K> Turn<'_, K> {
    /// From before anything of the key was read that is used.
    fn ticket(&self, at: usize) -> Ticket {
        self.waited.unwrap_or(self.led[at].ticket)
    }
}

impl<K> Clone for Turn<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Turn<'_, K> {}

/// The keys that the far tier does not answer.
struct Sorted<V: Send + Sync + 'static> {
    missing: Vec<Missing<V>>,
    /// Those that other nodes load.
    held: Vec<usize>,
}

/// A key that the batch loads.
struct Missing<V: Send + Sync + 'static> {
    at: usize,
    why: Why,
    hold: Hold<V>,
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Says of each key what became of it, as soon as that is known: what the far tier answers does not
    /// wait for the source, nor that for other nodes.
    pub(super) async fn bring_many<R, M, B, F>(
        &self,
        (led, early): (&[Led<K>], &Early<Brought<V>>),
        ask: &Ask,
        body: &B,
    ) where
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F,
        F: Future<Output = R>,
    {
        let deadline = self.times.with(&ask.terms).deadline;
        let end = self.near.now().after(deadline);
        let mut open: Vec<usize> = (0..led.len()).collect();
        let mut waited = None;
        while !open.is_empty() {
            let heard = self.listen_to(led, &open);
            let turn = Turn { led, ask, waited };
            let looked = match self.ask_far(turn, &open, deadline / 2).await {
                Ok(looked) => open.into_iter().zip(looked),
                Err(error) => {
                    let failed = open.into_iter();
                    return failed.for_each(|at| early.give(at, Err(error.clone())));
                }
            };
            let seen = self.near.now();
            let Sorted { missing, held } = self.sort(turn, looked, early);
            if !missing.is_empty() {
                let turn = self.before_source(turn);
                let endings = self.run_many(turn, missing, end, body).await;
                (endings.into_iter()).for_each(|(at, ending)| early.give(at, ending));
            }
            self.wait_for(&held, heard, (seen, end)).await;
            (open, waited) = (held, Some(self.near.ticket()));
        }
    }

    /// The turn of keys that are read from their source now, as for a load of one.
    fn before_source<'a>(&self, turn: Turn<'a, K>) -> Turn<'a, K> {
        let far = self.far.as_ref().filter(|far| far.has_foreign_writers());
        let anew = far.map(|_| self.near.ticket());
        let waited = anew.or(turn.waited);
        Turn { waited, ..turn }
    }

    /// What is next for the keys that were looked up. Where others load, the batch waits once, and
    /// after its own load: two batches that wait for each other would both wait in vain.
    fn sort(
        &self,
        turn: Turn<'_, K>,
        looked: impl Iterator<Item = (usize, FarLook<V>)>,
        early: &Early<Brought<V>>,
    ) -> Sorted<V> {
        let Turn { led, ask, waited } = turn;
        let (mut missing, mut held) = (Vec::new(), Vec::new());
        let mut miss = |at: usize, why, claim| {
            let name = &led[at].place.name;
            let hold = Hold::new(self.far.as_ref(), name, claim);
            missing.push(Missing { at, why, hold });
        };
        for (at, look) in looked {
            match look {
                FarLook::Hit(found, _) => {
                    let brought = self.brought(found, turn.ticket(at), &ask.terms);
                    early.give(at, Ok(brought));
                }
                FarLook::Old(found, claim) => {
                    let old = self.old_of(found, turn.ticket(at));
                    self.keep_old(&led[at].place, &old, ask.mode);
                    miss(at, Why::Expired, claim);
                }
                FarLook::Miss(why, claim) => miss(at, why.unwrap_or(led[at].why), claim),
                FarLook::Held(_) if guard!(LeaseAwaited, waited.is_none(), false) => held.push(at),
                FarLook::Held(claim) => miss(at, led[at].why, claim),
            }
        }
        Sorted { missing, held }
    }

    async fn ask_far(
        &self,
        turn: Turn<'_, K>,
        open: &[usize],
        most: Duration,
    ) -> Result<Vec<FarLook<V>>, LoadError> {
        let Turn { led, ask, .. } = turn;
        let Some(far) = &self.far else {
            return Ok(open.iter().map(|_| FarLook::Miss(None, None)).collect());
        };
        let names = open.iter().map(|at| led[*at].place.name.clone());
        let names: Vec<_> = names.collect();
        if !ask.mode.looks() {
            let claims = far.claim_many(&names).await.into_iter();
            let looks = claims.map(|claim| FarLook::Miss(None, claim.held()));
            return Ok(looks.collect());
        }
        let current = |at: usize, tags: &[String]| {
            let (slot, ticket) = (led[open[at]].place.slot, turn.ticket(open[at]));
            let tags = self.near.tag_slots(tags);
            self.near.is_current(slot, &tags, ticket)
        };
        let want = want(ask.mode);
        far.look_many(&names, &ask.terms.tags, want, most, current)
            .await
    }

    /// One call of the function for what is missing, and then as many stores at once.
    async fn run_many<R, M, B, F>(
        &self,
        turn: Turn<'_, K>,
        missing: Vec<Missing<V>>,
        end: Moment,
        body: &B,
    ) -> Vec<Ending<V>>
    where
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F,
        F: Future<Output = R>,
    {
        let led = turn.led;
        let keys = missing.iter().map(|Missing { at, .. }| &led[*at].place.key);
        let began = self.near.now();
        let load = log::load(&self.name, found(body, keys.cloned().collect()));
        let mut found = load.await;
        let cost = self.near.now().since(began);
        meter::loaded(&self.name, cost, &found);
        let endings = missing.into_iter().map(|missing| {
            let key = &led[missing.at].place.key;
            let told = match &mut found {
                Ok(found) => found.remove(key).unwrap_or_else(|| Ok(Told::of(None))),
                Err(error) => Err(error.clone()),
            };
            self.end_one(turn, missing, told, (cost, end))
        });
        together(endings).await
    }

    async fn end_one(
        &self,
        turn: Turn<'_, K>,
        missing: Missing<V>,
        told: Result<Told<V>, LoadError>,
        (cost, end): (Duration, Moment),
    ) -> Ending<V> {
        let Turn { led, ask, .. } = turn;
        let Missing { at, why, hold } = missing;
        let said = told.as_ref().ok();
        let after = said.map(|told| told.after.clone());
        let validator = said.and_then(|told| told.validator.clone());
        let value = told.and_then(Told::bare);
        let ended = Ended {
            terms: ask.terms.clone(),
            after: after.unwrap_or_default(),
            validator,
            mode: ask.mode,
            why,
            cost,
            ticket: turn.ticket(at),
            end,
        };
        let brought = self.end_load(&led[at].place, hold.over(), value, ended);
        (at, brought.await)
    }
}

/// What the function gave for each key. A panic of it is an error like another: what the far tier
/// has answered is not lost for it.
async fn found<K, V, R, M, B, F>(body: &B, keys: Vec<K>) -> Result<Found<K, V>, LoadError>
where
    K: Key,
    R: Pairs<K, V, M>,
    B: Fn(Vec<K>) -> F,
    F: Future<Output = R>,
{
    let ended = AssertUnwindSafe(run(body, keys)).catch_unwind().await;
    ended.unwrap_or_else(|payload| Err(LoadError::from_panic(&*payload)))
}

/// What the function gave, by key.
pub(super) async fn run<K, V, R, M, B, F>(body: &B, keys: Vec<K>) -> Result<Found<K, V>, LoadError>
where
    K: Key,
    R: Pairs<K, V, M>,
    B: Fn(Vec<K>) -> F,
    F: Future<Output = R>,
{
    let pairs = body(keys).await.pairs()?;
    Ok(pairs.into_iter().collect())
}
