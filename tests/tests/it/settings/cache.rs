//! Wrong settings of a cache, whatever its tiers.

use std::time::Duration;

use larder::{BuildError, Cache, CacheBuilder, Larder, Refresh};
use larder_kit::Virtual;

use super::{Row, row};

pub(super) type Builder = CacheBuilder<u64, String>;

pub(super) const TTL: Duration = Duration::from_secs(60);
pub(super) const SECOND: Duration = Duration::from_secs(1);
const ZERO: Duration = Duration::ZERO;
const SHORT: Duration = Duration::from_nanos(9_999_999);

/// What `set` is refused with, by a larder without a store.
fn refused(set: impl FnOnce(Builder) -> Builder) -> BuildError {
    set(alone().cache("numbers")).build().unwrap_err()
}

pub(super) fn alone() -> Larder {
    let larder = Larder::builder().runtime(Virtual::new());
    larder.build().unwrap()
}

fn time(set: fn(Builder, Duration) -> Builder, time: Duration) -> BuildError {
    refused(|cache| set(cache.ttl(TTL).stale(TTL), time))
}

fn refresh(refresh: Refresh) -> BuildError {
    refused(|cache| cache.ttl(TTL).refresh(refresh))
}

pub(super) const TIMES: &[Row] = &[
    row("ttl", "zero", "zero", || time(Builder::ttl, ZERO)),
    row("ttl", "short", "10 ms", || time(Builder::ttl, SHORT)),
    row("absent_ttl", "zero", "zero", || {
        time(Builder::absent_ttl, ZERO)
    }),
    row("absent_ttl", "short", "10 ms", || {
        time(Builder::absent_ttl, SHORT)
    }),
    row(
        "absent_ttl",
        "of what is not kept",
        "`cache_absence(false)`",
        || refused(|cache| cache.absent_ttl(SECOND).cache_absence(false)),
    ),
    row("stale", "zero", "zero", || time(Builder::stale, ZERO)),
    row("stale", "short", "10 ms", || time(Builder::stale, SHORT)),
    row("stale", "endless", "needs a `ttl`", || {
        refused(|cache| cache.stale(TTL))
    }),
    row("max_age", "zero", "zero", || time(Builder::max_age, ZERO)),
    row("max_age", "short", "10 ms", || {
        time(Builder::max_age, SHORT)
    }),
    row("idle", "zero", "zero", || time(Builder::idle, ZERO)),
    row("idle", "short", "10 ms", || time(Builder::idle, SHORT)),
    row("idle", "endless", "a `ttl` or a `max_age`", || {
        refused(|cache| cache.idle(TTL))
    }),
    row("jitter", "negative", "from 0 to below 1", || {
        refused(|cache| cache.jitter(-0.1))
    }),
    row("jitter", "all", "from 0 to below 1", || {
        refused(|cache| cache.jitter(1.0))
    }),
    row("jitter", "no number", "from 0 to below 1", || {
        refused(|cache| cache.jitter(f64::NAN))
    }),
    row("deadline", "zero", "zero", || time(Builder::deadline, ZERO)),
    row("deadline", "short", "10 ms", || {
        time(Builder::deadline, SHORT)
    }),
    row("soft", "zero", "zero", || time(Builder::soft, ZERO)),
    row("soft", "short", "10 ms", || time(Builder::soft, SHORT)),
    row("soft", "nothing old", "needs `stale`", || {
        refused(|cache| cache.ttl(TTL).soft(SECOND))
    }),
    row(
        "soft",
        "as late as the load's end",
        "shorter than `deadline`",
        || refused(|cache| cache.ttl(TTL).stale(TTL).soft(SECOND).deadline(SECOND)),
    ),
    row(
        "soft",
        "after the load's end",
        "shorter than `deadline`",
        || time(Builder::soft, TTL),
    ),
    row("throttle", "zero", "zero", || time(Builder::throttle, ZERO)),
    row("throttle", "short", "10 ms", || {
        time(Builder::throttle, SHORT)
    }),
    row("throttle", "nothing old", "needs `stale`", || {
        refused(|cache| cache.ttl(TTL).throttle(SECOND))
    }),
    row("refresh", "at once", "above 0", || {
        refresh(Refresh::At(0.0))
    }),
    row("refresh", "at the end", "below 1", || {
        refresh(Refresh::At(1.0))
    }),
    row("refresh", "no number", "above 0", || {
        refresh(Refresh::At(f64::NAN))
    }),
    row("refresh", "never", "`beta`", || {
        refresh(Refresh::XFetch { beta: 0.0 })
    }),
    row("refresh", "always", "`beta`", || {
        refresh(Refresh::XFetch {
            beta: f64::INFINITY,
        })
    }),
    row("refresh", "endless", "needs a `ttl`", || {
        refused(|cache| cache.refresh(Refresh::At(0.5)))
    }),
    row("error_ttl", "zero", "zero", || {
        time(Builder::error_ttl, ZERO)
    }),
    row("error_ttl", "short", "10 ms", || {
        time(Builder::error_ttl, SHORT)
    }),
    row("error_ttl", "said twice", "`error_ttl_by`", || {
        refused(|cache| cache.error_ttl(SECOND).error_ttl_by(|_| None))
    }),
];

pub(super) const BOUNDS: &[Row] = &[
    row("name", "empty", "must not be empty", || {
        let built: Result<Cache<u64, u64>, _> = alone().cache("").build();
        built.unwrap_err()
    }),
    row("name", "taken", "one name, one cache", || {
        let larder = alone();
        let _first: Cache<u64, u64> = larder.cache("numbers").build().unwrap();
        larder.cache::<u64, u64>("numbers").build().unwrap_err()
    }),
    row("capacity", "zero", "zero", || {
        refused(|cache| cache.capacity(0))
    }),
    row("capacity", "said twice", "`weight`", || {
        refused(|cache| cache.capacity(9).weight(9, |_, _| 1))
    }),
    row("weight", "zero", "zero", || {
        refused(|cache| cache.weight(0, |_, _| 1))
    }),
    row("max_loads", "zero", "zero", || {
        refused(|cache| cache.max_loads(0))
    }),
    row("max_stream", "zero", "zero", || {
        refused(|cache| cache.max_stream(0))
    }),
    row("max_key", "zero", "zero", || {
        refused(|cache| cache.max_key(0))
    }),
];
