//! The cache as its users hold it.

mod builder;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use larder_core::{Key, LoadError, Lookup, Runtime};
use larder_flight::Flights;

use crate::answer::{Answer, Keep};
use crate::call::Call;
use crate::lifetime::Times;
use crate::load::{Ask, Landed};
use crate::near::NearTier;
use crate::observe;
use crate::outcome::{Fetched, Outcome};
use crate::stats::{Counters, Stats};

pub use builder::CacheBuilder;

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
/// After [`invalidate`](Self::invalidate), [`clear`](Self::clear) or [`put`](Self::put) has
/// returned, no call that starts later gets an older value: not from the cache, and not from a load
/// that was running.
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

    /// What the cache holds for `key`. It never loads.
    pub async fn get<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Got<V> {
        let Some(value) = self.0.hit(key, |_| true) else {
            self.0.counters.missed.add();
            return Got::Unknown;
        };
        value.map_or(Got::KnownAbsent, Got::Value)
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
        let missed = Box::pin(self.0.miss(key.to_key(), Ask::default(), load));
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
                let missed = Box::pin(self.0.miss(key.to_key(), Ask::default(), load));
                missed.await?
            }
        };
        let value = kept::<V, R, M>(value);
        Ok(Fetched { value, outcome })
    }

    /// Puts a value (or absence: `None`) in the place of whatever the cache holds for `key`.
    ///
    /// A load of the key that is running is refused when it ends. Between two racing writers the
    /// last at the cache wins, whatever the order at the source: a function that changes the source
    /// rather invalidates.
    pub async fn put<Q, A, M>(&self, key: &Q, value: A)
    where
        Q: Lookup<K> + ?Sized,
        A: Keep<V, M>,
    {
        let value = value.keep();
        let inner = &self.0;
        let lifetime = inner.times.of(value.as_ref());
        let slot = inner.near.slot(key);
        inner.near.put(key.to_key(), slot, value, lifetime);
        inner.counters.puts.add();
    }

    /// Never serves again what was loaded or put for `key` before this call.
    ///
    /// O(1). A load of the key that is running goes on for those who wait for it; its result is not
    /// stored and is not given to calls that start after this one returned.
    pub async fn invalidate<Q: Lookup<K> + ?Sized>(&self, key: &Q) {
        self.0.near.invalidate(key);
        self.0.counters.invalidations.add();
    }

    /// As [`invalidate`](Self::invalidate), for every key.
    pub async fn clear(&self) {
        self.0.near.clear();
        self.0.counters.clears.add();
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
    ) -> Result<(Option<Arc<V>>, Outcome), LoadError>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        let call = Call::begin(&self.name, &self.counters);
        let loaded = self.load(key, ask, body).await;
        call.end(match &loaded {
            Ok((_, outcome)) => *outcome,
            Err(error) => Outcome::Failed { kind: error.kind() },
        });
        loaded
    }

    pub(crate) fn stats(&self) -> Stats {
        self.counters
            .snapshot(self.flights.running(), self.near.len())
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
