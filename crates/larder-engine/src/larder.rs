//! What caches share.

mod embedded;
mod far;
mod stop;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use larder_core::{Key, Runtime};
use larder_flight::Limit;

use crate::build_error::BuildError;
use crate::cache::{CacheBuilder, Inner};
use crate::event::What;
use crate::events::Hub;
use crate::mode::Mode;
use crate::stats::Stats;

pub use embedded::AlreadyInstalled;
use far::FarSettings;
pub(crate) use far::FarShare;
pub(crate) use stop::Stop;

/// What caches share: the runtime, the bound on loads, and the list of their names. Clones are the
/// same larder.
///
/// ```
/// use std::time::Duration;
/// use larder_engine::{Cache, Larder};
/// let larder = Larder::builder().build()?;
/// let deals: Cache<u64, String> = larder.cache("deals").ttl(Duration::from_secs(300)).build()?;
/// assert_eq!(deals.name(), "deals");
/// assert!(larder.cache::<u64, String>("deals").build().is_err(), "one name, one cache");
/// # Ok::<(), larder_engine::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Larder(Arc<Shared>);

struct Shared {
    stop: Arc<Stop>,
    runtime: Arc<dyn Runtime>,
    loads: Arc<Limit>,
    far: Option<FarShare>,
    caches: Mutex<Caches>,
    hub: Arc<Hub>,
}

#[derive(Default)]
struct Caches {
    by_name: BTreeMap<Arc<str>, Weak<dyn Counted>>,
    /// Of all of them, also those that are still to be built.
    mode: Mode,
}

impl Caches {
    fn held(&self) -> impl Iterator<Item = (Arc<str>, Arc<dyn Counted>)> {
        let held = self.by_name.iter();
        held.filter_map(|(name, cache)| Some((Arc::clone(name), cache.upgrade()?)))
    }
}

/// A cache of whatever types.
trait Counted: Send + Sync {
    fn stats(&self) -> Stats;
    fn is_at_rest(&self) -> bool;
    fn switch_all(&self, mode: Mode);
    fn watch(&self, watched: bool);
}

impl<K: Key, V: Send + Sync + 'static> Counted for Inner<K, V> {
    fn stats(&self) -> Stats {
        Self::stats(self)
    }

    fn is_at_rest(&self) -> bool {
        let far = self.far.as_ref().is_none_or(|far| far.is_at_rest());
        far && self.flights.running() == 0
    }

    fn switch_all(&self, mode: Mode) {
        self.switch.set_all(mode);
        self.counters.happened(What::Switched(mode));
    }

    fn watch(&self, watched: bool) {
        self.switch.watch(watched);
        self.counters.watch(watched);
    }
}

impl Larder {
    /// A larder with a runtime on smol's global executor and at most 1,024 loads at once.
    pub fn builder() -> LarderBuilder {
        LarderBuilder {
            runtime: None,
            max_loads: 1024,
            far: FarSettings::default(),
        }
    }

    /// A cache of this larder. A name belongs to one cache for as long as anybody holds that.
    pub fn cache<K, V>(&self, name: impl Into<String>) -> CacheBuilder<K, V>
    where
        K: Key,
        V: Send + Sync + 'static,
    {
        CacheBuilder::new(name.into(), Some(self.clone()))
    }

    /// The statistics of each cache that somebody holds, by name.
    #[must_use]
    pub fn stats(&self) -> Vec<(Arc<str>, Stats)> {
        let held = self.held().into_iter();
        held.map(|(name, cache)| (name, cache.stats())).collect()
    }

    /// Sets how far the caches of this larder are used, from now on, those included that are built
    /// later. It does not touch the caches' own switches: a cache is used as far as both allow.
    pub fn switch(&self, mode: Mode) {
        let mut caches = self.caches();
        caches.mode = mode;
        let held: Vec<_> = caches.held().collect();
        held.iter().for_each(|(_, cache)| cache.switch_all(mode));
        // Before `held`: what it held last drops values, which are the user's.
        drop(caches);
    }

    /// Ends the refreshes that run and starts no more, then waits, at most until `deadline` has passed, for the loads and changes that run to end, also
    /// those whose callers have left, and for the far store to acknowledge what is queued; whether
    /// all happened. For the end of a program: what is queued then and not acknowledged is lost with
    /// it, and other nodes may serve the old value for as long as it lives. New calls are not
    /// refused; stop making them first.
    ///
    /// Looks every 20 ms.
    pub async fn shutdown(&self, deadline: Duration) -> bool {
        self.0.stop.set();
        let clock = self.0.runtime.clock();
        let end = clock.now().after(deadline);
        while !self.is_at_rest() {
            if clock.now() >= end {
                return false;
            }
            self.0.runtime.sleep(Duration::from_millis(20)).await;
        }
        true
    }

    fn is_at_rest(&self) -> bool {
        self.held().iter().all(|(_, cache)| cache.is_at_rest())
    }

    /// The caches that somebody holds. To be let go outside the lock: to drop the last reference to
    /// a cache drops its values.
    fn held(&self) -> Vec<(Arc<str>, Arc<dyn Counted>)> {
        self.caches().held().collect()
    }

    fn caches(&self) -> MutexGuard<'_, Caches> {
        self.0.caches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The runtime of this larder's caches.
    #[must_use]
    pub fn runtime(&self) -> &Arc<dyn Runtime> {
        &self.0.runtime
    }

    pub(crate) fn far(&self) -> Option<&FarShare> {
        self.0.far.as_ref()
    }

    pub(crate) fn hub(&self) -> &Arc<Hub> {
        &self.0.hub
    }

    /// Tells the caches whether anybody listens; under the lock, so that none is built meanwhile.
    pub(crate) fn watch(&self) {
        let caches = self.caches();
        let held: Vec<_> = caches.held().collect();
        let heard = self.0.hub.is_heard();
        held.iter().for_each(|(_, cache)| cache.watch(heard));
        drop(caches);
    }

    pub(crate) fn stop(&self) -> Arc<Stop> {
        Arc::clone(&self.0.stop)
    }

    pub(crate) fn loads(&self) -> Arc<Limit> {
        Arc::clone(&self.0.loads)
    }

    pub(crate) fn enlist<K, V>(
        &self,
        name: &Arc<str>,
        cache: &Arc<Inner<K, V>>,
    ) -> Result<(), BuildError>
    where
        K: Key,
        V: Send + Sync + 'static,
    {
        let mut caches = self.caches();
        cache.switch.set_all(caches.mode);
        cache.watch(self.0.hub.is_heard());
        let caches = &mut caches.by_name;
        // A name that nobody holds is free, and what is left of its cache can go.
        caches.retain(|_, cache| cache.strong_count() > 0);
        if caches.contains_key(name) {
            let taken = "is taken: one name, one cache (clones of a cache are the same cache)";
            return Err(BuildError::new("name", taken));
        }
        let cache: Weak<Inner<K, V>> = Arc::downgrade(cache);
        caches.insert(Arc::clone(name), cache);
        Ok(())
    }
}

impl fmt::Debug for Larder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Larder");
        out.field("runtime", &self.0.runtime);
        out.finish_non_exhaustive()
    }
}

/// The settings of a larder to be built.
#[derive(Debug)]
#[must_use]
pub struct LarderBuilder {
    runtime: Option<Arc<dyn Runtime>>,
    max_loads: usize,
    far: FarSettings,
}

impl LarderBuilder {
    /// Where loads run and whose clock counts.
    pub fn runtime(self, runtime: impl Runtime) -> Self {
        self.shared_runtime(Arc::new(runtime))
    }

    /// As [`runtime`](Self::runtime), for one that is shared already.
    pub fn shared_runtime(mut self, runtime: Arc<dyn Runtime>) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// How many loads of all caches together may run at once, at least 1.
    pub fn max_loads(mut self, loads: usize) -> Self {
        self.max_loads = loads;
        self
    }

    /// Builds the larder.
    ///
    /// # Errors
    /// A setting is out of its range, or there is no runtime: the feature `smol` is off and none
    /// was set.
    pub fn build(self) -> Result<Larder, BuildError> {
        if self.max_loads == 0 {
            return Err(BuildError::new("max_loads", "must not be zero"));
        }
        let runtime = match self.runtime {
            Some(runtime) => runtime,
            None => default_runtime()?,
        };
        let far = self.far.build(&runtime)?;
        Ok(Larder(Arc::new(Shared {
            stop: Arc::new(Stop::new()),
            far,
            runtime,
            loads: Arc::new(Limit::new(self.max_loads)),
            caches: Mutex::default(),
            hub: Arc::default(),
        })))
    }
}

#[cfg(feature = "smol")]
fn default_runtime() -> Result<Arc<dyn Runtime>, BuildError> {
    Ok(Arc::new(crate::Smol::global()))
}

#[cfg(not(feature = "smol"))]
fn default_runtime() -> Result<Arc<dyn Runtime>, BuildError> {
    Err(BuildError::new(
        "runtime",
        "is not set, and the feature `smol`, which brings one, is off",
    ))
}
