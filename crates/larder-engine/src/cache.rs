//! The cache as its users hold it.

mod builder;
mod change;
mod inner;
mod reload;
mod switch;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use larder_core::{Key, LoadError, Lookup};

use crate::answer::Answer;
use crate::load::Ask;
use crate::options::CallOptions;
use crate::outcome::Fetched;
use crate::stats::Stats;
use crate::terms::After;

pub use builder::CacheBuilder;
pub use change::PutTicket;
pub(crate) use inner::Inner;

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

// By hand: a derived one would ask for `V: Clone`.
impl<V> Clone for Got<V> {
    fn clone(&self) -> Self {
        match self {
            Self::Value(value) => Self::Value(Arc::clone(value)),
            Self::KnownAbsent => Self::KnownAbsent,
            Self::Unknown => Self::Unknown,
        }
    }
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
        if let Some(value) = self.0.hit_or_due(key, true, |_| true) {
            return value.map_or(Got::KnownAbsent, Got::Value);
        }
        match Box::pin(self.0.get_far(key.to_key())).await {
            Some(value) => value.map_or(Got::KnownAbsent, Got::Value),
            None => Got::Unknown,
        }
    }

    /// The value of `key`, loaded by `load` if the cache does not hold it.
    ///
    /// `load` gives `V`, `Arc<V>`, an `Option` of either, or a `Result` of any of these; or
    /// [`Loaded`](crate::Loaded), to say more of it. Its future
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
        self.missed(key.to_key(), Ask::default(), load).await
    }

    /// As [`get_or_load`](Self::get_or_load), with what this call sets differently.
    ///
    /// # Errors
    /// As there.
    pub async fn get_or_load_with<Q, R, M, B, F>(
        &self,
        key: &Q,
        options: CallOptions,
        load: B,
    ) -> Result<R::Kept, LoadError>
    where
        Q: Lookup<K> + ?Sized,
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        if let Some(value) = self.0.hit(key, |value| {
            options.looks() && (R::ABSENCE || value.is_some())
        }) {
            return Ok(kept::<V, R, M>(value));
        }
        self.missed(key.to_key(), options.ask(), load).await
    }

    /// In one box, so that the way of a hit stays small.
    fn missed<R, M, B, F>(
        &self,
        key: K,
        ask: Ask,
        load: B,
    ) -> impl Future<Output = Result<R::Kept, LoadError>> + use<'_, K, V, R, M, B, F>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        let nothing = |_: &R::Kept| After::default();
        let missed = Box::pin(self.0.miss(key, ask, load, nothing));
        async move { Ok(kept::<V, R, M>(missed.await?.0)) }
    }

    /// As [`get_or_load`](Self::get_or_load), for a load that borrows: it runs in this call's task,
    /// and needs neither `'static` nor `Send`.
    ///
    /// Others wait for it as for any other. If this call is dropped the load is dropped with it, and
    /// one of those who wait goes on with a load of its own. A call that is kept and not polled
    /// cannot notice its deadline: others do, and free its place among the loads.
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
        self.fetch_with(key, CallOptions::new(), load).await
    }

    /// As [`fetch`](Self::fetch), with what this call sets differently.
    ///
    /// # Errors
    /// As there.
    pub async fn fetch_with<Q, R, M, B, F>(
        &self,
        key: &Q,
        options: CallOptions,
        load: B,
    ) -> Result<Fetched<R::Kept>, LoadError>
    where
        Q: Lookup<K> + ?Sized,
        R: Answer<V, M>,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        let wanted = |value: &Option<_>| options.looks() && (R::ABSENCE || value.is_some());
        let (value, outcome) = match self.0.look(key, false, wanted) {
            Some(held) => held,
            None => {
                let key = key.to_key();
                let nothing = |_: &R::Kept| After::default();
                let missed = Box::pin(self.0.miss(key, options.ask(), load, nothing));
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
