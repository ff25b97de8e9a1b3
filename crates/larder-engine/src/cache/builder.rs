//! Building a cache.

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

use larder_core::Key;
use larder_flight::{Flights, Limit, Stamps};
use larder_memory::Bound;

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

/// The settings of a cache to be built.
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
    bound: Bound<K, V>,
    max_loads: usize,
    max_stream: usize,
    mode: Mode,
    longest_key: Option<usize>,
    far: FarWish<V>,
}

impl<K: Key, V: Send + Sync + 'static> CacheBuilder<K, V> {
    pub(crate) fn new(name: String, larder: Option<Larder>) -> Self {
        Self {
            name,
            larder,
            times: Wishes::default(),
            bound: Bound::Entries(10_000),
            max_loads: 256,
            max_stream: 10_000,
            mode: Mode::On,
            longest_key: None,
            far: FarWish::default(),
        }
    }

    /// Bounds the near tier by a number of entries, at least 1.
    pub fn capacity(mut self, entries: usize) -> Self {
        self.bound = Bound::Entries(entries);
        self
    }

    /// Bounds the near tier by the sum of what `weigh` says of each value, in a unit of your
    /// choice. A weight of 0 counts as 1, one over `u32::MAX` as that (choose a coarser unit), and
    /// absence weighs 1. The tier has up to 8 parts, each with its share of `most`: a value of a
    /// tenth of `most` always fits, one heavier than its part is returned and not kept.
    ///
    /// `weigh` runs when a value is stored, under a lock of the cache: it must be cheap and must
    /// neither panic nor come back to the cache.
    pub fn weight(
        mut self,
        most: u64,
        weigh: impl Fn(&K, &V) -> u64 + Send + Sync + 'static,
    ) -> Self {
        let weigh = move |key: &K, value: Option<&V>| value.map_or(1, |value| weigh(key, value));
        self.bound = Bound::Weight {
            max: most,
            weigh: Arc::new(weigh),
        };
        self
    }

    /// How many loads of this cache may run at once, at least 1; one more is refused with
    /// [`LoadErrorKind::Refused`](larder_core::LoadErrorKind::Refused).
    pub fn max_loads(mut self, loads: usize) -> Self {
        self.max_loads = loads;
        self
    }

    /// How many elements of one stream are kept, and held in memory while it runs, at least 1; one
    /// with more is passed through. For [`Cache::get_or_stream`].
    pub fn max_stream(mut self, elements: usize) -> Self {
        self.max_stream = elements;
        self
    }

    /// The longest key under which something is kept, in bytes of its text (see
    /// [`Key::text`]); none unless set. What is loaded or put for a longer one is given, counted and
    /// not kept in any tier: for keys that strangers choose. Measuring costs each miss a text.
    pub fn max_key(mut self, bytes: usize) -> Self {
        self.longest_key = Some(bytes);
        self
    }

    /// How far the cache is used from its start; see [`Cache::switch`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
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

    fn assemble(self, name: &Arc<str>) -> Result<Cache<K, V>, BuildError> {
        let times = self.times.build()?;
        let slots = slots(&self.bound)?;
        if name.is_empty() {
            return Err(BuildError::new("name", "must not be empty"));
        }
        for (setting, value) in [
            ("max_loads", self.max_loads),
            ("max_stream", self.max_stream),
            ("max_key", self.longest_key.unwrap_or(1)),
        ] {
            if value == 0 {
                return Err(BuildError::new(setting, "must not be zero"));
            }
        }
        let larder = match self.larder {
            Some(larder) => larder,
            None => Larder::embedded()?,
        };
        let runtime = Arc::clone(larder.runtime());
        let stamps = Stamps::seeded(slots, runtime.random());
        let stamps = Arc::new(if times.stale.is_zero() {
            stamps
        } else {
            stamps.with_fallback()
        });
        let limits = vec![Arc::new(Limit::new(self.max_loads)), larder.loads()];
        let teller = Arc::new(Teller::new(Arc::clone(name), Arc::clone(larder.hub())));
        let near = NearTier::new(
            self.bound,
            Arc::clone(&stamps),
            runtime.clock(),
            &times,
            Arc::clone(&teller),
        );
        let far = self.far.build(&larder, &teller, &times, &stamps)?;
        if times.idle.is_some() && far.as_ref().is_some_and(|far| !far.near) {
            let far_only = "is of the near tier, and this cache is far only";
            return Err(BuildError::new("idle", far_only));
        }
        let near = match &far {
            Some(far) => near.beside_far(Arc::clone(&far.sight), far.near),
            None => near,
        };
        let inner = Arc::new(Inner {
            near,
            switch: Switch::new(self.mode),
            counters: Counters::new(teller),
            times,
            error_ttl: self.times.errors,
            longest_key: self.longest_key,
            stop: larder.stop(),
            max_stream: self.max_stream,
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

/// One slot an entry, so that a raise costs one neighbour on average.
fn slots<K, V>(bound: &Bound<K, V>) -> Result<usize, BuildError> {
    /// Of what is bounded by weight the number of entries is not known.
    const SLOTS_BY_WEIGHT: usize = 1 << 16;
    match bound {
        Bound::Entries(0) => Err(BuildError::new("capacity", "must not be zero")),
        Bound::Entries(entries) => Ok(*entries),
        Bound::Weight { max: 0, .. } => Err(BuildError::new("weight", "must not be zero")),
        Bound::Weight { .. } => Ok(SLOTS_BY_WEIGHT),
    }
}

impl<K, V> fmt::Debug for CacheBuilder<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("CacheBuilder");
        out.field("name", &self.name).finish_non_exhaustive()
    }
}
