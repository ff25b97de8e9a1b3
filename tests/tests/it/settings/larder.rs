//! Wrong settings of a larder, and of the runtime on smol.

use std::time::Duration;

use larder::{BuildError, Larder, LarderBuilder, Shelf, Smol};
use larder_kit::{MapStore, Virtual};

use super::{Row, row};

const ZERO: Duration = Duration::ZERO;
const SHORT: Duration = Duration::from_millis(9);
const SECOND: Duration = Duration::from_secs(1);

fn shelf(time: &Virtual) -> Shelf {
    Shelf::new(&*time.runtime())
}

/// With a store that guards and is a bus.
fn refused(set: impl FnOnce(LarderBuilder) -> LarderBuilder) -> BuildError {
    let time = Virtual::new();
    let larder = Larder::builder().far(shelf(&time)).runtime(time);
    set(larder).build().unwrap_err()
}

/// With a store that does neither.
fn plain(set: impl FnOnce(LarderBuilder) -> LarderBuilder) -> BuildError {
    let time = Virtual::new();
    let larder = Larder::builder().far_unguarded(shelf(&time)).runtime(time);
    set(larder).build().unwrap_err()
}

/// With none.
fn alone(set: impl FnOnce(LarderBuilder) -> LarderBuilder) -> BuildError {
    let larder = Larder::builder().runtime(Virtual::new());
    set(larder).build().unwrap_err()
}

pub(super) const ROWS: &[Row] = &[
    row("max_loads", "zero", "zero", || {
        alone(|larder| larder.max_loads(0))
    }),
    row("far", "cannot guard", "`far_unguarded`", || {
        let clock = Virtual::new().runtime().clock();
        alone(|larder| larder.far(MapStore::new(clock)))
    }),
    row("far_unguarded", "said twice", "`far`", || {
        let time = Virtual::new();
        let store = shelf(&time);
        refused(|larder| larder.far_unguarded(store))
    }),
    row("heartbeat", "zero", "zero", || {
        refused(|larder| larder.heartbeat(ZERO))
    }),
    row("heartbeat", "short", "10 ms", || {
        refused(|larder| larder.heartbeat(SHORT))
    }),
    row("heartbeat", "no store", "add `far`", || {
        alone(|larder| larder.heartbeat(SECOND))
    }),
    row("heartbeat", "no bus", "`Bus`", || {
        plain(|larder| larder.heartbeat(SECOND))
    }),
    row(
        "heartbeat",
        "as rare as blindness",
        "shorter than `blind_ttl`",
        || refused(|larder| larder.heartbeat(SECOND).blind_ttl(SECOND)),
    ),
    row("heartbeat", "rarer", "shorter than `blind_ttl`", || {
        refused(|larder| larder.heartbeat(SECOND * 6))
    }),
    row("blind_ttl", "zero", "zero", || {
        refused(|larder| larder.blind_ttl(ZERO))
    }),
    row("blind_ttl", "short", "10 ms", || {
        refused(|larder| larder.blind_ttl(SHORT))
    }),
    row("blind_ttl", "no store", "add `far`", || {
        alone(|larder| larder.blind_ttl(SECOND))
    }),
    row(
        "blind_ttl",
        "under a heartbeat",
        "longer than `heartbeat`",
        || refused(|larder| larder.blind_ttl(SECOND)),
    ),
    row("requeue", "zero", "zero", || {
        refused(|larder| larder.requeue(ZERO))
    }),
    row("requeue", "short", "10 ms", || {
        refused(|larder| larder.requeue(SHORT))
    }),
    row("requeue", "no store", "add `far`", || {
        alone(|larder| larder.requeue(SECOND))
    }),
    row("requeue", "no bus", "`Bus`", || {
        plain(|larder| larder.requeue(SECOND))
    }),
    row("blocking_limit", "zero", "zero", || {
        Smol::global().blocking_limit(0).unwrap_err()
    }),
];
