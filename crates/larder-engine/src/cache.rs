//! The cache as its users hold it.

mod builder;
mod change;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use larder_core::far::Want;
use larder_core::{Key, LoadError, Lookup, Runtime};
use larder_flight::Flights;
use larder_memory::Entry;

use crate::answer::Answer;
use crate::call::Call;
use crate::far::{FarLook, FarTier, FarValue, Link};
use crate::lifetime::{After, Times};
use crate::load::{Ask, Landed, Place};
use crate::near::NearTier;
use crate::observe;
use crate::outcome::{Fetched, Outcome};
use crate::stats::{Counters, Stats};

pub use builder::CacheBuilder;
pub use change::PutTicket;

/// A cache of `Arc<V>` by `K`; clones are the same cache.
///
/// Under the attributes a cache is mostly seen as `static DEALS: LazyLock<Cache<u64, Deal>>` or as
/// a field; this is the form by calls.
///
/// # Loads
/// Concurrent misses of one key run one load, and all who wait get its result or its error. The
/// load is **detached**: it belongs to the cache, callers only wait, and it goes on and is stored
/// when they have left. It always has a deadline (30 s unless set), after which callers get
/// [`TimedOut`](larder_core::LoadErrorKind::TimedOut), the key is free, and a late result is
/// refused. A load that fails or panics gives its error to all who wait, once, and stores nothing.
///
/// # Invalidation
/// After [`invalidate`](Self::invalidate), [`invalidate_tag`](Self::invalidate_tag),
/// [`clear`](Self::clear) or [`put`](Self::put) has returned, no call on this node that starts
/// later gets an older value: not from a tier, and not from a load that was running. On other nodes
/// the same holds once the message has arrived, and at the latest after the greater of two
/// heartbeats and the blind ttl, plus one far deadline. A change runs to its end even if its caller
/// is dropped.
///
/// # Cost
/// A hit allocates nothing, makes no system call and takes no lock but a shard's of the map.
pub struct Cache<K, V>(pub(crate) Arc<Inner<K, V>>);

pub(crate) struct Inner<K, V> {
    pub(crate) near: NearTier<K, V>,
    pub(crate) counters: Counters,
    pub(crate) times: Times,
    pub(crate) flights: Flights<K, Landed<V>>,
    pub(crate) name: Arc<str>,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) far: Option<Arc<FarTier<V>>>,
    /// Kept alive here: the bus holds it weakly.
    pub(crate) link: Option<Arc<Link>>,
}

/// What [`Cache::get`] found.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "three results, end to end")]
pub enum Got<V> {
    /// A value.
    Value(Arc<V>),
    /// Absence: a load found that there is nothing.
    KnownAbsent,
    /// Nothing that may be used: it takes a load to know.
    Unknown,
}

impl<V> Got<V> {
    /// The value, if there is one.
    pub fn value(self) -> Option<Arc<V>> {
        match self {
            Self::Value(value) => Some(value),
            Self::KnownAbsent | Self::Unknown => None,
        }
    }
}

impl<K: Key, V: Send + Sync + 'static> Cache<K, V> {
    /// A cache on the embedded default larder; see
    /// [`Larder::embedded`](crate::Larder::embedded).
    pub fn builder(name: impl Into<String>) -> CacheBuilder<K, V> {
        CacheBuilder::new(name.into(), None)
    }

    /// The cache's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What the cache holds for `key`, in the near tier or else in the far one. It never loads, and
    /// a far tier that fails is as if it held nothing.
    pub async fn get<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Got<V> {
        if let Some(value) = self.0.hit(key, |_| true) {
            return value.map_or(Got::KnownAbsent, Got::Value);
        }
        match Box::pin(self.0.get_far(key.to_key())).await {
            Some(value) => value.map_or(Got::KnownAbsent, Got::Value),
            None => Got::Unknown,
        }
    }

    /// The value of `key`, loaded by `load` if the cache does not hold it.
    ///
    /// `load` gives `V`, `Arc<V>`, an `Option` of either, or a `Result` of any of these. Its future
    /// outlives this call, hence `'static`. Dropping this call leaves the load running.
    ///
    /// # Errors
    /// The load's own error (of kind [`Source`](larder_core::LoadErrorKind::Source), with the
    /// original inside), or why there is none: see [`LoadError`].
    ///
    /// ```
    /// # use larder_engine::{Cache, Larder};
    /// # smol::block_on(async {
    /// let names: Cache<u64, String> = Larder::builder().build()?.cache("names").build()?;
    /// let name = names.get_or_load(&5, || async { std::fs::read_to_string("no such file") }).await;
    /// assert!(name.is_err_and(|error| error.downcast_ref::<std::io::Error>().is_some()));
    /// let name = names.get_or_load(&5, || async { "Eldon".to_owned() }).await?;
    /// assert_eq!(name, "Eldon");
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn get_or_load<Q, R, M, B, F>(&self, key: &Q, load: B) -> Result<R::Kept, LoadError>
    where
        Q: Lookup<K> + ?Sized,
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        if let Some(value) = self.0.hit(key, |value| R::ABSENCE || value.is_some()) {
            return Ok(kept::<V, R, M>(value));
        }
        let nothing = |_: &R::Kept| After::default();
        let missed = Box::pin(self.0.miss(key.to_key(), Ask::default(), load, nothing));
        let (value, _) = missed.await?;
        Ok(kept::<V, R, M>(value))
    }

    /// As [`get_or_load`](Self::get_or_load), for a load that borrows: it runs in this call's task,
    /// and needs neither `'static` nor `Send`.
    ///
    /// Others wait for it as for any other. If this call is dropped the load is dropped with it, and
    /// one of those who wait goes on with a load of its own.
    ///
    /// # Errors
    /// As there.
    pub async fn get_or_load_scoped<Q, R, M, B, F>(
        &self,
        key: &Q,
        load: B,
    ) -> Result<R::Kept, LoadError>
    where
        Q: Lookup<K> + ?Sized,
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
    {
        if let Some(value) = self.0.hit(key, |value| R::ABSENCE || value.is_some()) {
            return Ok(kept::<V, R, M>(value));
        }
        let nothing = |_: &R::Kept| After::default();
        let missed = Box::pin(
            self.0
                .miss_here(key.to_key(), Ask::default(), load, nothing),
        );
        let (value, _) = missed.await?;
        Ok(kept::<V, R, M>(value))
    }

    /// As [`get_or_load`](Self::get_or_load), with why the answer is what it is.
    ///
    /// # Errors
    /// As there.
    pub async fn fetch<Q, R, M, B, F>(
        &self,
        key: &Q,
        load: B,
    ) -> Result<Fetched<R::Kept>, LoadError>
    where
        Q: Lookup<K> + ?Sized,
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        let (value, outcome) = match self.0.look(key, |value| R::ABSENCE || value.is_some()) {
            Some(held) => held,
            None => {
                let key = key.to_key();
                let nothing = |_: &R::Kept| After::default();
                let missed = Box::pin(self.0.miss(key, Ask::default(), load, nothing));
                missed.await?
            }
        };
        let value = kept::<V, R, M>(value);
        Ok(Fetched { value, outcome })
    }

    /// Counts since the cache was built.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.0.stats()
    }
}

/// The shape for a value that was chosen so that the shape can say it.
fn kept<V, R: Answer<V, M>, M>(value: Option<Arc<V>>) -> R::Kept {
    R::kept(value).expect("absence was asked for only where it can be said")
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// What the near tier holds, if `wanted` takes it; counted as a hit, if so.
    #[inline]
    pub(crate) fn hit<Q: Lookup<K> + ?Sized>(
        &self,
        key: &Q,
        wanted: impl FnOnce(&Option<Arc<V>>) -> bool,
    ) -> Option<Option<Arc<V>>> {
        let (entry, now) = self.near.fresh(key)?;
        if !wanted(&entry.value) {
            return None;
        }
        self.counters.near();
        if observe::observing() {
            observe::record(&self.name, self.near.outcome(&entry, now));
        }
        Some(entry.value)
    }

    /// As [`hit`](Self::hit), with the outcome.
    fn look<Q: Lookup<K> + ?Sized>(
        &self,
        key: &Q,
        wanted: impl FnOnce(&Option<Arc<V>>) -> bool,
    ) -> Option<(Option<Arc<V>>, Outcome)> {
        let (entry, now) = self.near.fresh(key)?;
        if !wanted(&entry.value) {
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
        self.counted(self.load(key, ask, body, after)).await
    }

    /// As [`miss`](Self::miss), with a load that runs in the call.
    pub(crate) async fn miss_here<R, M, B, F>(
        &self,
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
        self.counted(self.load_here(key, ask, body, after)).await
    }

    async fn counted<T>(
        &self,
        answer: impl Future<Output = Result<(T, Outcome), LoadError>>,
    ) -> Result<(T, Outcome), LoadError> {
        let call = Call::begin(&self.name, &self.counters);
        let answer = answer.await;
        call.end(match &answer {
            Ok((_, outcome)) => *outcome,
            Err(error) => Outcome::Failed { kind: error.kind() },
        });
        answer
    }

    /// A key with what it is found by in the tiers.
    pub(crate) fn place(&self, key: K) -> Place<K> {
        let Some(far) = &self.far else {
            let slot = self.near.slot(&key);
            let name = Bytes::new();
            return Place { key, slot, name };
        };
        let name = far.coding.name(key.text());
        let slot = self.near.slot_by(larder_core::digest(&name));
        Place { key, slot, name }
    }

    /// What the far tier holds; counted as a call, the near tier having been asked before.
    async fn get_far(&self, key: K) -> Option<Option<Arc<V>>> {
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
        let far = self.far.as_ref()?;
        let ticket = self.near.ticket();
        let place = self.place(key);
        let current = |tags: &[String]| {
            let tags = self.near.tag_slots(tags);
            self.near.is_current(place.slot, &tags, ticket)
        };
        let looked = far.look(&place.name, &[], Want::Look, current).await;
        let Ok(FarLook::Hit(found)) = looked else {
            return None;
        };
        let outcome = self.near.outcome_far(&found);
        let FarValue {
            value, tags, ends, ..
        } = found;
        let entry = Entry {
            value: value.clone(),
            ends,
            ticket,
            slot: place.slot.index(),
            tags: self.near.tag_slots(&tags),
        };
        let _ = self.near.keep(place.key, entry);
        Some((value, outcome))
    }

    pub(crate) fn stats(&self) -> Stats {
        let running = self.flights.running();
        let mut stats = self.counters.snapshot(running, self.near.len());
        stats.far_tier = self.far.as_ref().map(|far| far.stats());
        stats
    }
}

impl<K, V> Clone for Cache<K, V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, V> fmt::Debug for Cache<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Cache");
        out.field("name", &self.0.name).finish_non_exhaustive()
    }
}
