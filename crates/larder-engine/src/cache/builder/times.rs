//! The times of a cache to be built.

use std::time::Duration;

use larder_core::{Key, LoadError, Ttl};

use super::CacheBuilder;
use crate::build_error::BuildError;
use crate::lifetime::{Lifetime, Times};
use crate::refresh::Refresh;
use crate::terms::ErrorTtl;

/// What was asked for.
pub(super) struct Wishes {
    ttl: Option<Duration>,
    absent_ttl: Option<Duration>,
    absence: bool,
    stale: Option<Duration>,
    max_age: Option<Duration>,
    idle: Option<Duration>,
    jitter: f64,
    deadline: Duration,
    soft: Option<Duration>,
    throttle: Duration,
    refresh: Option<Refresh>,
    pub(super) errors: Option<ErrorTtl>,
    error_ttl: Option<Duration>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            ttl: None,
            absent_ttl: None,
            absence: true,
            stale: None,
            max_age: None,
            idle: None,
            jitter: 0.0,
            deadline: Duration::from_secs(30),
            soft: None,
            throttle: Duration::from_secs(5),
            refresh: None,
            errors: None,
            error_ttl: None,
        }
    }
}

impl Wishes {
    pub(super) fn build(&self) -> Result<Times, BuildError> {
        self.fits()?;
        optional("error_ttl", self.error_ttl)?;
        let value = match self.ttl {
            None => Lifetime::Endless,
            Some(ttl) => Lifetime::For(checked("ttl", ttl)?),
        };
        let absent = self.absent_ttl.unwrap_or(Duration::from_secs(10));
        let absent = Lifetime::For(checked("absent_ttl", absent)?);
        let absence = if self.absence { absent } else { Lifetime::Not };
        Ok(Times {
            value,
            absence: absence.at_most(value),
            deadline: checked("deadline", self.deadline)?.duration(),
            stale: optional("stale", self.stale)?.unwrap_or_default(),
            max_age: optional("max_age", self.max_age)?.unwrap_or(Duration::MAX),
            idle: optional("idle", self.idle)?,
            jitter: self.jitter,
            soft: optional("soft", self.soft)?,
            throttle: checked("throttle", self.throttle)?.duration(),
            refresh: self.refresh,
        })
    }

    /// What has no sense of its own, or not together.
    fn fits(&self) -> Result<(), BuildError> {
        let wrong = |setting, text: &str| Err(BuildError::new(setting, text));
        if !(0.0..1.0).contains(&self.jitter) {
            return wrong("jitter", "must be a part of the ttl from 0 to below 1");
        }
        if let Some(mistake) = self.refresh.and_then(Refresh::mistake) {
            return wrong("refresh", mistake);
        }
        if self.ttl.is_none() && self.stale.is_some() {
            return wrong("stale", "needs a `ttl`: what has no end is never past it");
        }
        if self.ttl.is_none() && self.refresh.is_some() {
            return wrong(
                "refresh",
                "needs a `ttl`: what has no end is not refreshed before it",
            );
        }
        if self.soft.is_some() && self.stale.is_none() {
            return wrong(
                "soft",
                "needs `stale`: else there is nothing old to be given",
            );
        }
        if self.idle.is_some() && self.ttl.is_none() && self.max_age.is_none() {
            let text =
                "needs a `ttl` or a `max_age`: else what is used often is never loaded again";
            return wrong("idle", text);
        }
        Ok(())
    }
}

pub(super) fn checked(setting: &'static str, duration: Duration) -> Result<Ttl, BuildError> {
    Ttl::new(duration).map_err(|error| BuildError::new(setting, error.to_string()))
}

fn optional(
    setting: &'static str,
    duration: Option<Duration>,
) -> Result<Option<Duration>, BuildError> {
    let checked = duration.map(|duration| checked(setting, duration));
    Ok(checked.transpose()?.map(Ttl::duration))
}

impl<K: Key, V: Send + Sync + 'static> CacheBuilder<K, V> {
    /// How long a value is fresh: at least 10 ms; over 100 years counts as 100 years.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.times.ttl = Some(ttl);
        self
    }

    /// How long absence is used; never longer than `ttl`.
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
    /// load goes on and is kept. Needs [`stale`](Self::stale), without which there is nothing old.
    pub fn soft(mut self, deadline: Duration) -> Self {
        self.times.soft = Some(deadline);
        self
    }

    /// How long the source of a key is left alone after a load failed and an old result was served,
    /// counted from the end of that load.
    pub fn throttle(mut self, pause: Duration) -> Self {
        self.times.throttle = pause;
        self
    }

    /// Loads a result anew before its end, in the background. Needs a `ttl`.
    pub fn refresh(mut self, refresh: Refresh) -> Self {
        self.times.refresh = Some(refresh);
        self
    }

    /// How long the error of a load is kept, near, and given to whoever asks for the key; without
    /// this no error is. Of errors it is those that the function returned. An old result that may
    /// be served is preferred, and nothing is kept in its place.
    pub fn error_ttl(mut self, ttl: Duration) -> Self {
        self.times.error_ttl = Some(ttl);
        self.times.errors = Some(ErrorTtl::of(ttl));
        self
    }

    /// As [`error_ttl`](Self::error_ttl), by the error; `None`, or less than 10 ms, keeps it not at
    /// all. Also asked of panics.
    pub fn error_ttl_by(
        mut self,
        ttl: impl Fn(&LoadError) -> Option<Duration> + Send + Sync + 'static,
    ) -> Self {
        self.times.error_ttl = None;
        self.times.errors = Some(ErrorTtl::by(ttl));
        self
    }
}
