//! Running the user's function.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use larder_core::{Key, LoadError, guard};

use crate::answer::Answer;
use crate::cache::Inner;
use crate::far::{About, Claim};
use crate::lifetime::{After, Terms};
use crate::load::{Brought, Place};
use crate::log;
use crate::meter;
use crate::mode::Mode;
use crate::outcome::{Outcome, Why};

/// The user's function with what was said of its result, before and after.
pub(crate) struct Source<B, A> {
    pub(crate) body: B,
    pub(crate) after: A,
    pub(crate) terms: Terms,
    pub(crate) mode: Mode,
    pub(crate) why: Why,
}

/// What a source said beside its result.
pub(crate) struct Ended {
    pub(crate) terms: Terms,
    pub(crate) after: After,
    pub(crate) mode: Mode,
    pub(crate) why: Why,
    pub(crate) cost: Duration,
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Runs the function and stores its result far, if the ticket still holds.
    pub(crate) async fn run_source<R, M, B, F, A>(
        &self,
        place: &Place<K>,
        claim: Option<Claim>,
        source: Source<B, A>,
    ) -> Result<Brought<V>, LoadError>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
        A: FnOnce(&R::Kept) -> After,
    {
        let began = self.near.now();
        let load = log::load(&self.name, (source.body)());
        let (result, after) = parts(load.await, source.after);
        let ended = Ended {
            terms: source.terms,
            after,
            mode: source.mode,
            why: source.why,
            cost: self.near.now().since(began),
        };
        meter::loaded(&self.name, ended.cost, &result);
        self.end_load(place, claim, result, ended).await
    }

    /// Stores what a source gave far, if the ticket still holds.
    pub(crate) async fn end_load(
        &self,
        place: &Place<K>,
        claim: Option<Claim>,
        result: Result<Option<Arc<V>>, LoadError>,
        ended: Ended,
    ) -> Result<Brought<V>, LoadError> {
        let value = match result {
            Ok(value) => value,
            Err(error) => {
                self.let_go(place, claim).await;
                return Err(error);
            }
        };
        let times = self.times.with(&ended.terms).after(&ended.after);
        let mut tags = ended.terms.tags;
        tags.extend(ended.after.tags);
        let lifetime = times.of(value.as_ref());
        let mut brought = Brought {
            value,
            tags,
            ends: self.near.ends(lifetime),
            outcome: Outcome::Loaded {
                why: ended.why,
                stored: false,
            },
        };
        let keeps = ended.mode.and(self.switch.mode()).keeps();
        match lifetime.duration().filter(|_| keeps) {
            None => self.let_go(place, claim).await,
            Some(ttl) => {
                self.store_far(place, claim, &mut brought, ttl, ended.cost)
                    .await
            }
        }
        Ok(brought)
    }

    async fn store_far(
        &self,
        place: &Place<K>,
        claim: Option<Claim>,
        brought: &mut Brought<V>,
        ttl: Duration,
        cost: Duration,
    ) {
        let (Some(far), Some(claim)) = (&self.far, claim) else {
            return;
        };
        let claim = guard!(
            FarTicketBeforeLoad,
            claim,
            match far.claim(&place.name).await {
                crate::far::Claimed::Holds(late) => late,
                _ => claim,
            }
        );
        let about = About {
            tags: &brought.tags,
            ttl,
            age: cost,
            cost,
        };
        let value = brought.value.as_deref();
        if far.store(&place.name, &claim, value, &about).await {
            brought.outcome.set_stored();
        }
    }

    pub(crate) async fn let_go(&self, place: &Place<K>, claim: Option<Claim>) {
        if let (Some(far), Some(claim)) = (&self.far, claim) {
            far.let_go(&place.name, &claim).await;
        }
    }
}

/// In a function of its own: an answer need not be `Send`, so no await may see one.
fn parts<V, R, M>(
    answer: R,
    after: impl FnOnce(&R::Kept) -> After,
) -> (Result<Option<Arc<V>>, LoadError>, After)
where
    R: Answer<V, M>,
{
    let after = answer.ok().map(after).unwrap_or_default();
    (answer.split(), after)
}
