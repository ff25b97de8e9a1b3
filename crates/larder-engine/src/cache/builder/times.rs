//! The times of a cache to be built.

mod wishes;

use std::time::Duration;

use larder_core::{Key, LoadError};

use super::CacheBuilder;
use crate::refresh::Refresh;
use crate::terms::ErrorTtl;

pub(super) use wishes::{Wishes, checked, said};

impl<K: Key, V: Send + Sync + 'static> CacheBuilder<K, V> {
    /// How long a value is fresh: at least 10 ms; over 100 years counts as 100 years.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.times.ttl = Some(ttl);
        self
    }

    /// How long absence is used; never longer than `ttl`. Not beside `cache_absence(false)`.
    pub fn absent_ttl(mut self, ttl: Duration) -> Self {
        self.times.absent_ttl = Some(ttl);
        self
    }

    /// Whether absence is kept at all. If not, a key without a value is loaded at each call.
    pub fn cache_absence(mut self, kept: bool) -> Self {
        self.times.absence = kept;
        self
    }

    /// How long after its ttl a result may still be served. Needs a `ttl`.
    ///
    /// Within this window a call is given the old result at once, and one load runs in the
    /// background ([`soft`](Self::soft): the call waits for it, up to that). Where a load fails, ends
    /// by its deadline or is refused, the old result is served in the place of the error, and the
    /// source is left alone for the [`throttle`](Self::throttle). What was invalidated is never
    /// served; what was expired by [`Cache::expire`](crate::Cache::expire) only where a load failed.
    ///
    /// A load that borrows runs in its call: that waits for it, and is given what is old where it
    /// fails.
    pub fn stale(mut self, window: Duration) -> Self {
        self.times.stale = Some(window);
        self
    }

    /// How old a result may be, counted from the begin of its load, whatever ttl and window say and
    /// however often a load has failed since. One below the ttl shortens that.
    pub fn max_age(mut self, age: Duration) -> Self {
        self.times.max_age = Some(age);
        self
    }

    /// How long a result lives unused, near: each hit starts this time anew, the ttl does not. Needs
    /// a `ttl` or a `max_age`. Not for caches that are far only.
    ///
    /// A hit notes its moment, so it costs more than one without.
    pub fn idle(mut self, unused: Duration) -> Self {
        self.times.idle = Some(unused);
        self
    }

    /// The part of a ttl that chance takes away, from 0 to below 1, so that what was loaded in one
    /// moment does not end in one: with 0.1 a ttl of 300 s is 270 s to 300 s. It only shortens.
    pub fn jitter(mut self, part: f64) -> Self {
        self.times.jitter = part;
        self
    }

    /// How long a load may take, at least 10 ms; there is always a deadline.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.times.deadline = deadline;
        self
    }

    /// How long a call waits where there is an old result to be had: then it is given that, and the
    /// load goes on and is kept. Needs [`stale`](Self::stale), without which there is nothing old, and
    /// is shorter than the [`deadline`](Self::deadline).
    pub fn soft(mut self, deadline: Duration) -> Self {
        self.times.soft = Some(deadline);
        self
    }

    /// How long the source of a key is left alone after a load failed and an old result was served,
    /// counted from the end of that load; 5 s unless set. Needs [`stale`](Self::stale).
    pub fn throttle(mut self, pause: Duration) -> Self {
        self.times.throttle = Some(pause);
        self
    }

    /// Loads a result anew before its end, in the background. Needs a `ttl`.
    pub fn refresh(mut self, refresh: Refresh) -> Self {
        self.times.refresh = Some(refresh);
        self
    }

    /// How long the error of a load is kept, near, and given to whoever asks for the key; without
    /// this no error is. Of errors it is those that the function returned. An old result that may
    /// be served is preferred, and nothing is kept in its place. Not for caches that are far only.
    pub fn error_ttl(mut self, ttl: Duration) -> Self {
        self.times.error_ttl = Some(ttl);
        self
    }

    /// As [`error_ttl`](Self::error_ttl), by the error; `None`, or less than 10 ms, keeps it not at
    /// all. Also asked of panics. In the place of `error_ttl`, not beside it.
    pub fn error_ttl_by(
        mut self,
        ttl: impl Fn(&LoadError) -> Option<Duration> + Send + Sync + 'static,
    ) -> Self {
        self.times.error_ttl_by = Some(ErrorTtl::by(ttl));
        self
    }
}
