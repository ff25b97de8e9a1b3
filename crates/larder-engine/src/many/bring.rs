//! What a batch loads: from the far tier in one trip, the rest from the source in one call.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_lite::FutureExt;
use larder_core::{Key, LoadError, Moment};

use super::batch::Led;
use super::pairs::Pairs;
use crate::answer::Told;
use crate::cache::Inner;
use crate::far::{Claim, FarLook};
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

/// A key that the far tier does not answer.
struct Missing {
    at: usize,
    why: Why,
    claim: Option<Claim>,
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// What became of each key.
    pub(super) async fn bring_many<R, M, B, F>(
        &self,
        led: &[Led<K>],
        ask: &Ask,
        body: &B,
    ) -> Vec<Result<Brought<V>, LoadError>>
    where
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F,
        F: Future<Output = R>,
    {
        let deadline = self.times.with(&ask.terms).deadline;
        let end = self.near.now().after(deadline);
        let looked = match self.ask_far(led, ask, deadline / 2).await {
            Ok(looked) => looked,
            Err(error) => return led.iter().map(|_| Err(error.clone())).collect(),
        };
        let (mut endings, mut missing) = (Vec::new(), Vec::new());
        for (at, look) in looked.into_iter().enumerate() {
            match look {
                FarLook::Hit(found, _) => {
                    endings.push((at, Ok(self.brought(found, &ask.terms))));
                }
                FarLook::Old(found, claim) => {
                    let Led { place, ticket, .. } = &led[at];
                    self.keep_old(place, &self.old_of(found, *ticket), ask.mode);
                    let why = Why::Expired;
                    missing.push(Missing { at, why, claim });
                }
                FarLook::Miss(why, claim) => {
                    let why = why.unwrap_or(led[at].why);
                    missing.push(Missing { at, why, claim });
                }
            }
        }
        if !missing.is_empty() {
            endings.extend(self.run_many(led, missing, (ask, end), body).await);
        }
        endings.sort_unstable_by_key(|(at, _)| *at);
        endings.into_iter().map(|(_, result)| result).collect()
    }

    async fn ask_far(
        &self,
        led: &[Led<K>],
        ask: &Ask,
        most: Duration,
    ) -> Result<Vec<FarLook<V>>, LoadError> {
        let Some(far) = &self.far else {
            return Ok(led.iter().map(|_| FarLook::Miss(None, None)).collect());
        };
        let names: Vec<_> = led.iter().map(|led| led.place.name.clone()).collect();
        if !ask.mode.looks() {
            let claims = far.claim_many(&names).await.into_iter();
            let looks = claims.map(|claim| FarLook::Miss(None, claim.held()));
            return Ok(looks.collect());
        }
        let current = |at: usize, tags: &[String]| {
            let Led { place, ticket, .. } = &led[at];
            let tags = self.near.tag_slots(tags);
            self.near.is_current(place.slot, &tags, *ticket)
        };
        let want = want(ask.mode);
        far.look_many(&names, &ask.terms.tags, want, most, current)
            .await
    }

    /// One call of the function for what is missing, and then as many stores at once.
    async fn run_many<R, M, B, F>(
        &self,
        led: &[Led<K>],
        missing: Vec<Missing>,
        (ask, end): (&Ask, Moment),
        body: &B,
    ) -> Vec<Ending<V>>
    where
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F,
        F: Future<Output = R>,
    {
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
            self.end_one(led, missing, told, (ask, cost, end))
        });
        together(endings).await
    }

    async fn end_one(
        &self,
        led: &[Led<K>],
        missing: Missing,
        told: Result<Told<V>, LoadError>,
        (ask, cost, end): (&Ask, Duration, Moment),
    ) -> Ending<V> {
        let Missing { at, why, claim } = missing;
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
            ticket: led[at].ticket,
            end,
        };
        let brought = self.end_load(&led[at].place, claim, value, ended);
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
