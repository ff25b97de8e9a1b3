//! Wrong settings of a cache with a far tier, or without one.

use std::sync::Arc;
use std::time::Duration;

use larder::{BuildError, CacheBuilder, Keys, Larder, Protobuf, Shelf};
use larder_core::far::Abilities;
use larder_kit::{Able, Virtual};

use super::cache::{Builder, SECOND, TTL, alone};
use super::{Row, row};

/// A larder with a store.
fn larder() -> Larder {
    let time = Virtual::new();
    let shelf = Shelf::new(&*time.runtime());
    Larder::builder().runtime(time).far(shelf).build().unwrap()
}

/// A larder with a store that tells nothing.
fn deaf() -> Larder {
    let time = Virtual::new();
    let shelf = Arc::new(Shelf::new(&*time.runtime()));
    let deaf = Abilities::default().guarded(&shelf);
    let deaf = Able::new(Shelf::clone(&shelf), deaf);
    Larder::builder().runtime(time).far(deaf).build().unwrap()
}

fn keys() -> Keys {
    Keys::new(1, [7; 32])
}

/// With a far tier.
fn refused(set: impl FnOnce(Builder) -> Builder) -> BuildError {
    set(larder().cache("numbers").ttl(TTL).far())
        .build()
        .unwrap_err()
}

/// With no near tier.
fn only(set: impl FnOnce(Builder) -> Builder) -> BuildError {
    set(larder().cache("numbers").ttl(TTL).far_only())
        .build()
        .unwrap_err()
}

/// With a store that the cache has not asked for.
fn unasked(set: impl FnOnce(Builder) -> Builder) -> BuildError {
    set(larder().cache("numbers").ttl(TTL)).build().unwrap_err()
}

#[derive(Clone, PartialEq, prost::Message, larder::Schema)]
struct User {
    #[prost(uint64, tag = "1")]
    id: u64,
}

fn users() -> CacheBuilder<u64, User> {
    larder().cache("users").ttl(TTL)
}

pub(super) const FAR: &[Row] = &[
    row("ttl", "endless", "must be set", || {
        larder()
            .cache::<u64, u64>("numbers")
            .far()
            .build()
            .unwrap_err()
    }),
    row("ttl", "endless, without a store", "must be set", || {
        alone()
            .cache::<u64, u64>("numbers")
            .far()
            .build()
            .unwrap_err()
    }),
    row("far_deadline", "zero", "zero", || {
        refused(|cache| cache.far_deadline(Duration::ZERO))
    }),
    row("far_deadline", "short", "10 ms", || {
        refused(|cache| cache.far_deadline(Duration::from_millis(9)))
    }),
    row("max_frame", "zero", "zero", || {
        refused(|cache| cache.max_frame(0))
    }),
    row("queue", "zero", "zero", || refused(|cache| cache.queue(0))),
    row("lease", "zero", "zero", || {
        refused(|cache| cache.lease(Duration::ZERO))
    }),
    row("lease", "as long as a load", "`deadline`", || {
        refused(|cache| cache.lease(SECOND).deadline(SECOND))
    }),
    row("lease", "no bus", "`Bus`", || {
        let numbers = deaf().cache::<u64, u64>("numbers").ttl(TTL).far();
        numbers.lease(SECOND).build().unwrap_err()
    }),
    row("foreign_writers", "no bus", "`Bus`", || {
        let numbers = deaf().cache::<u64, u64>("numbers").ttl(TTL).far();
        numbers.foreign_writers(true).build().unwrap_err()
    }),
    row("compress", "of nothing", "16 MiB", || {
        refused(|cache| cache.compress(17 << 20))
    }),
    row("schema", "not found", "`shaped`", || {
        users().codec(Protobuf).build().unwrap_err()
    }),
    row("schema", "not found, without a store", "`shaped`", || {
        let users = alone().cache::<u64, User>("users").ttl(TTL);
        users.codec(Protobuf).build().unwrap_err()
    }),
    row("shaped", "said twice", "`schema`", || {
        users()
            .codec(Protobuf)
            .schema(1)
            .shaped()
            .build()
            .unwrap_err()
    }),
    row("far_only", "said twice", "`far`", || {
        refused(Builder::far_only)
    }),
    row(
        "far_only",
        "no store",
        "needs a larder with a far store",
        || {
            let numbers = alone().cache::<u64, u64>("numbers").ttl(TTL);
            numbers.far_only().build().unwrap_err()
        },
    ),
    row("without_near", "said twice", "`far`", || {
        refused(Builder::without_near)
    }),
    row(
        "without_near",
        "no store",
        "needs a larder with a far store",
        || {
            let users = alone().cache::<u64, User>("users").ttl(TTL);
            users
                .codec(Protobuf)
                .shaped()
                .without_near()
                .build()
                .unwrap_err()
        },
    ),
    row("idle", "no near tier", "far only", || {
        only(|cache| cache.idle(SECOND))
    }),
    row("error_ttl", "no near tier", "far only", || {
        only(|cache| cache.error_ttl(SECOND))
    }),
    row("error_ttl_by", "no near tier", "far only", || {
        only(|cache| cache.error_ttl_by(|_| None))
    }),
];

/// Of a far tier that was not asked for.
pub(super) const ALONE: &[Row] = &[
    row("far_deadline", "no far tier", "add `far`", || {
        unasked(|cache| cache.far_deadline(SECOND))
    }),
    row("max_frame", "no far tier", "add `far`", || {
        unasked(|cache| cache.max_frame(9))
    }),
    row("schema", "no far tier", "add `far`", || {
        unasked(|cache| cache.schema(1))
    }),
    row("shaped", "no far tier", "`codec`", || {
        users().shaped().build().unwrap_err()
    }),
    row("raise_far_errors", "no far tier", "add `far`", || {
        unasked(|cache| cache.raise_far_errors(true))
    }),
    row("queue", "no far tier", "add `far`", || {
        unasked(|cache| cache.queue(9))
    }),
    row("foreign_writers", "no far tier", "add `far`", || {
        unasked(|cache| cache.foreign_writers(true))
    }),
    row("lease", "no far tier", "add `far`", || {
        unasked(|cache| cache.lease(SECOND))
    }),
    row("compress", "no far tier", "add `far`", || {
        unasked(|cache| cache.compress(9))
    }),
    row("encrypt", "no far tier", "add `far`", || {
        unasked(|cache| cache.encrypt(keys()))
    }),
    row("without_near", "no far tier", "add `far`", || {
        unasked(Builder::without_near)
    }),
];
