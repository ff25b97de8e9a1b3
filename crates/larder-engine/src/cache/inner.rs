//! What the clones of a cache share.

use std::future::{Future, ready};
use std::sync::Arc;

use bytes::Bytes;
use futures_lite::future::block_on;
use larder_core::far::Want;
use larder_core::{Key, LoadError, LoadErrorKind, Lookup, Runtime, Ticket, guard};
use larder_flight::Flights;

use crate::answer::Answer;
use crate::call::Call;
use crate::event::What;
use crate::far::{FarLook, FarTier, FarValue, Link};
use crate::larder::Stop;
use crate::lifetime::Times;
use crate::load::{Ask, Landed, Place};
use crate::log;
use crate::mode::{Mode, Switch};
use crate::near::NearTier;
use crate::observe;
use crate::outcome::Outcome;
use crate::scope::Scope;
use crate::stats::{Counters, Stats};
use crate::terms::{After, ErrorTtl};

/// What the clones of a cache share.
pub(crate) struct Inner<K, V> {
    pub(crate) near: NearTier<K, V>,
    pub(crate) switch: Switch,
    pub(crate) counters: Counters,
    pub(crate) times: Times,
    pub(crate) error_ttl: Option<ErrorTtl>,
    /// In bytes of its text.
    pub(crate) longest_key: Option<usize>,
    pub(crate) stop: Arc<Stop>,
    /// The most elements of a stream that are kept.
    pub(crate) max_stream: usize,
    pub(crate) flights: Flights<K, Landed<V>>,
    pub(crate) name: Arc<str>,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) far: Option<Arc<FarTier<V>>>,
    /// Kept alive here: the bus holds it weakly.
    pub(crate) link: Option<Arc<Link>>,
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// How far a call of this task uses the cache.
    pub(crate) fn mode(&self) -> Mode {
        self.switch.mode().and(Scope::here().mode())
    }

    #[cold]
    fn note_hit(&self, outcome: Outcome) {
        self.counters.tell_hit(outcome);
        observe::record(&self.name, outcome);
    }

    /// As [`hit_or_due`](Self::hit_or_due), for a call that can load.
    #[inline(always)]
    pub(crate) fn hit<Q: Lookup<K> + ?Sized>(
        &self,
        key: &Q,
        wanted: impl FnOnce(&Option<Arc<V>>) -> bool,
    ) -> Option<Option<Arc<V>>> {
        self.hit_or_due(key, false, wanted)
    }

    /// What the near tier holds, if `wanted` takes it; counted as a hit, if so.
    ///
    /// What is to be refreshed is a hit for a call that cannot load: `due_too`.
    #[inline(always)]
    pub(crate) fn hit_or_due<Q: Lookup<K> + ?Sized>(
        &self,
        key: &Q,
        due_too: bool,
        wanted: impl FnOnce(&Option<Arc<V>>) -> bool,
    ) -> Option<Option<Arc<V>>> {
        let (scope, switched) = (Scope::here(), self.switch.read());
        if !switched.mode().and(scope.mode()).looks() {
            return None;
        }
        let now = self.near.now();
        let held = self.near.get(key);
        let entry = held.as_ref()?;
        if !self.near.is_hit(entry, now, due_too) || !wanted(&entry.value) {
            return None;
        }
        self.counters.near();
        if scope.is_observed() || switched.is_watched() || log::hits() {
            self.note_hit(self.near.outcome(entry, now));
        }
        held.map(|entry| entry.value)
    }

    /// As [`hit`](Self::hit), with the outcome.
    pub(crate) fn look<Q: Lookup<K> + ?Sized>(
        &self,
        key: &Q,
        due_too: bool,
        wanted: impl FnOnce(&Option<Arc<V>>) -> bool,
    ) -> Option<(Option<Arc<V>>, Outcome)> {
        if !self.mode().looks() {
            return None;
        }
        let now = self.near.now();
        let entry = self.near.get(key)?;
        if !self.near.is_hit(&entry, now, due_too) || !wanted(&entry.value) {
            return None;
        }
        let outcome = self.near.outcome(&entry, now);
        Call::begin(&self.name, &self.counters).end(outcome);
        Some((entry.value, outcome))
    }

    /// A call that missed, counted once.
    pub(crate) async fn miss<R, M, B, F>(
        self: &Arc<Self>,
        key: K,
        ask: Ask,
        body: B,
        after: impl FnOnce(&R::Kept) -> After + Send + 'static,
    ) -> Result<(Option<Arc<V>>, Outcome), LoadError>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        // Not in a function of both: a future that is handed on takes its room twice.
        let call = Call::begin(&self.name, &self.counters);
        let answer = self.load(key, ask, body, after).await;
        call.answered(&answer);
        answer
    }

    /// As [`miss`](Self::miss), with a load that runs in the call.
    pub(crate) async fn miss_here<R, M, B, F>(
        self: &Arc<Self>,
        key: K,
        ask: Ask,
        body: B,
        after: impl FnOnce(&R::Kept) -> After,
    ) -> Result<(Option<Arc<V>>, Outcome), LoadError>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
    {
        let call = Call::begin(&self.name, &self.counters);
        let answer = self.load_here(key, ask, body, after).await;
        call.answered(&answer);
        answer
    }

    /// As [`miss_here`](Self::miss_here), for a function that blocks: this thread runs it, or parks
    /// until the load that it joins has ended, never past its deadline.
    ///
    /// Where the thread must not block a function that can say so fails at once; any other runs past
    /// the cache, as it would without one.
    pub(crate) fn miss_blocking<R, M, B>(
        self: &Arc<Self>,
        key: K,
        ask: Ask,
        body: B,
        after: impl FnOnce(&R::Kept) -> After,
    ) -> Result<(Option<Arc<V>>, Outcome), LoadError>
    where
        R: Answer<V, M>,
        B: FnOnce() -> R,
    {
        let body = || ready(body());
        block_on(self.counted(async {
            if self.runtime.may_block() {
                return self.load_here(key, ask, body, after).await;
            }
            if ask.bypass {
                return self.past(&ask, body).await;
            }
            let text = "a blocking function cannot load on a thread that runs tasks";
            Err(LoadError::new(LoadErrorKind::WouldBlock, text))
        }))
    }

    async fn counted<T>(
        &self,
        answer: impl Future<Output = Result<(T, Outcome), LoadError>>,
    ) -> Result<(T, Outcome), LoadError> {
        let call = Call::begin(&self.name, &self.counters);
        let answer = answer.await;
        call.answered(&answer);
        answer
    }

    /// Drops what must not be used any more.
    pub(crate) fn sweep(&self) {
        let entries = self.near.sweep();
        if entries > 0 {
            self.counters.happened(What::Swept { entries });
        }
    }

    /// A key with what it is found by in the tiers.
    pub(crate) fn place(&self, key: K) -> Place<K> {
        let Some(far) = &self.far else {
            let slot = self.near.slot(&key);
            let name = Bytes::new();
            let longest = self.longest_key;
            let fits = longest.is_none_or(|most| key.text().len() <= most);
            return Place {
                key,
                slot,
                name,
                fits,
            };
        };
        let text = key.text();
        let fits = self.longest_key.is_none_or(|most| text.len() <= most);
        let name = far.coding.name(text);
        let slot = self.near.slot_by(larder_core::digest(&name));
        Place {
            key,
            slot,
            name,
            fits,
        }
    }

    /// Whether what a call under `mode` brings is kept here, by the switch as it is now.
    pub(crate) fn keeps(&self, mode: Mode, place: &Place<K>) -> bool {
        let keeps = guard!(KeepsMode, mode.and(self.switch.mode()).keeps(), true);
        if keeps && !place.fits {
            self.counters.happened(What::LongKey);
        }
        keeps && place.fits
    }

    /// What the far tier holds; counted as a call, the near tier having been asked before.
    pub(super) async fn get_far(&self, key: K) -> Option<Option<Arc<V>>> {
        let call = Call::begin(&self.name, &self.counters);
        let found = self.look_far(key).await;
        let Some((value, outcome)) = found else {
            call.missed();
            return None;
        };
        call.end(outcome);
        Some(value)
    }

    async fn look_far(&self, key: K) -> Option<(Option<Arc<V>>, Outcome)> {
        let mode = self.mode();
        let far = self.far.as_ref().filter(|_| mode.looks())?;
        let call = self.near.ticket();
        let place = self.place(key);
        let current = |tags: &[String]| {
            let tags = self.near.tag_slots(tags);
            self.near.is_current(place.slot, &tags, call)
        };
        let most = far.deadline;
        let looked = far.look(&place.name, &[], Want::Look, most, current).await;
        let Ok(FarLook::Hit(found, _)) = looked else {
            return None;
        };
        if mode.keeps() {
            self.promote(place, call, &found);
        }
        let outcome = self.near.outcome_far(&found);
        Some((found.value, outcome))
    }

    /// Keeps a far value near.
    pub(crate) fn promote(&self, place: Place<K>, call: Ticket, found: &FarValue<V>) {
        if !place.fits {
            return;
        }
        let ticket = guard!(TicketBeforeLoad, call, self.near.ticket());
        let span = found.span(&self.times, &self.dice());
        let tags = self.near.tag_slots(&found.tags);
        let value = found.value.clone();
        let renewal = found.renewal();
        let entry = self
            .near
            .entry(value, &tags, ticket, place.slot, span, renewal);
        let _ = self.near.keep(place.key, entry);
    }

    pub(crate) fn stats(&self) -> Stats {
        let running = self.flights.running();
        let mut stats = self.counters.snapshot(running, self.near.len());
        stats.evicted = self.near.evicted();
        stats.far_tier = self.far.as_ref().map(|far| far.stats());
        stats
    }
}
