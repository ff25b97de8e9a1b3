//! Building a cache.

mod bounds;
#[cfg(feature = "codec")]
mod codec;
#[cfg_attr(
    not(feature = "codec"),
    allow(dead_code, reason = "no cache is given a far tier then")
)]
mod far;
mod times;
mod wrapping;

use std::fmt;
use std::sync::Arc;

use larder_core::{Key, Runtime};
use larder_flight::{Flights, Limit, Stamps};

use self::bounds::Bounds;
use self::far::FarWish;
use self::times::Wishes;
use super::{Cache, Inner};
use crate::build_error::BuildError;
use crate::events::Teller;
use crate::larder::Larder;
use crate::mode::{Mode, Switch};
use crate::near::NearTier;
use crate::stats::Counters;
use crate::sweep;

/// The settings of a cache to be built; of one that is made twice the later counts.
///
/// [`build`](Self::build) refuses, by its name, what is out of its range and what says nothing: a
/// setting without the one that it needs, or beside one that excludes it.
///
/// | setting | default | why |
/// |---|---|---|
/// | [`ttl`](Self::ttl) | none: an entry lives until it is evicted or invalidated | a process's memory needs no expiry to be safe, the application knows its own |
/// | [`absent_ttl`](Self::absent_ttl) | 10 s, at most `ttl` | long enough against a flood of unknown keys, short enough for a new row to show |
/// | [`capacity`](Self::capacity) | 10,000 entries | a bound there must be; slots cost 8 bytes an entry |
/// | [`deadline`](Self::deadline) | 30 s | longer than a slow source, shorter than a client's patience |
/// | [`max_loads`](Self::max_loads) | 256 | a hung source fills this cache, not the process |
/// | [`max_stream`](Self::max_stream) | 10,000 elements | a stream without end must not fill the memory |
/// | [`max_key`](Self::max_key) | none | keys of the program's own making are short |
/// | [`mode`](Self::mode) | [`Mode::On`] | a cache that is declared is meant to be used |
#[must_use]
pub struct CacheBuilder<K, V> {
    name: String,
    larder: Option<Larder>,
    times: Wishes,
    bounds: Bounds<K, V>,
    mode: Mode,
    falls_back: bool,
    far: FarWish<V>,
}

impl<K: Key, V: Send + Sync + 'static> CacheBuilder<K, V> {
    pub(crate) fn new(name: String, larder: Option<Larder>) -> Self {
        Self {
            name,
            larder,
            times: Wishes::default(),
            bounds: Bounds::default(),
            mode: Mode::On,
            falls_back: false,
            far: FarWish::default(),
        }
    }

    /// How far the cache is used from its start; see [`Cache::switch`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Whether what is expired is kept as a fallback though the cache has no window of its own:
    /// what it holds has.
    pub(crate) fn falls_back(mut self, kept: bool) -> Self {
        self.falls_back = kept;
        self
    }

    /// Builds the cache.
    ///
    /// # Errors
    /// A setting is out of its range, the larder has a cache of this name, or there is no larder:
    /// the error names the setting.
    pub fn build(self) -> Result<Cache<K, V>, BuildError> {
        let name: Arc<str> = self.name.as_str().into();
        self.assemble(&name).map_err(|error| error.of(&name))
    }

    fn assemble(mut self, name: &Arc<str>) -> Result<Cache<K, V>, BuildError> {
        if name.is_empty() {
            return Err(BuildError::new("name", "must not be empty"));
        }
        let times = self.times.build()?;
        let (bound, slots) = self.bounds.build()?;
        let far = self.far.plan(name, &self.times, &times)?;
        let larder = match self.larder {
            Some(larder) => larder,
            None => Larder::embedded()?,
        };
        let runtime = Arc::clone(larder.runtime());
        let falls_back = self.falls_back || !times.stale.is_zero();
        let stamps = Arc::new(stamps(slots, &*runtime, falls_back));
        let teller = Arc::new(Teller::new(Arc::clone(name), Arc::clone(larder.hub())));
        let far = far.map(|far| far.build(&larder, &teller, &times, &stamps));
        let far = far.transpose()?.flatten();
        let near = NearTier::new(
            bound,
            Arc::clone(&stamps),
            runtime.clock(),
            &times,
            Arc::clone(&teller),
        );
        let near = match &far {
            Some(far) => near.beside_far(Arc::clone(&far.sight), far.near),
            None => near,
        };
        let limits = vec![Arc::new(Limit::new(self.bounds.max_loads)), larder.loads()];
        let inner = Arc::new(Inner {
            near,
            switch: Switch::new(self.mode),
            counters: Counters::new(teller),
            times,
            error_ttl: self.times.errors(),
            longest_key: self.bounds.longest_key,
            stop: larder.stop(),
            max_stream: self.bounds.max_stream,
            flights: Flights::new(Arc::clone(&runtime), stamps, limits),
            name: Arc::clone(name),
            runtime,
            link: far.as_ref().and_then(|far| far.link.clone()),
            far: far.map(|far| far.tier),
        });
        larder.enlist(name, &inner)?;
        inner.listen(&larder);
        sweep::start(&inner);
        Ok(Cache(inner))
    }
}

fn stamps(slots: usize, runtime: &dyn Runtime, falls_back: bool) -> Stamps {
    let stamps = Stamps::seeded(slots, runtime.random());
    if falls_back {
        stamps.with_fallback()
    } else {
        stamps
    }
}

impl<K, V> fmt::Debug for CacheBuilder<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("CacheBuilder");
        out.field("name", &self.name).finish_non_exhaustive()
    }
}
