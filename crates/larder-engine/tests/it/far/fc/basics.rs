//! Single entries.

use std::time::Duration;

use larder_engine::{Cache, Got};

use super::{each, each_with_a_window};
use crate::far::rig::loaded;
use crate::support::{SECOND, Source, TTL};
use larder_engine::__private::{After, Terms};

#[test]
fn fc1_a_put_overwrites() {
    each(|time, cache| {
        time.block_on(async {
            for value in 1..=3 {
                let _ = cache.put(&1, value).await;
                assert_eq!(cache.get(&1).await, Got::Value(value.into()));
            }
            let _ = cache.put(&1, None::<u64>).await;
            assert_eq!(cache.get(&1).await, Got::KnownAbsent);
        });
    });
}

#[test]
fn fc2_a_load_does_not_overwrite_a_live_value() {
    each(|time, cache| {
        time.block_on(async {
            let _ = cache.put(&1, 7).await;
            let got = cache.get_or_load(&1, || async { 8 }).await;
            assert_eq!(got.unwrap(), 7);
            assert_eq!(cache.get(&1).await, Got::Value(7.into()));
        });
    });
}

#[test]
fn fc3_a_get_with_a_default_stores_nothing() {
    each(|time, cache| {
        time.block_on(async {
            let got = cache.get(&1).await.value();
            assert_eq!(got.map_or(42, |value| *value), 42);
            assert_eq!(cache.get(&1).await, Got::Unknown);
            assert_eq!(cache.stats().entries, 0);
        });
    });
}

#[test]
fn fc4_the_unknown_the_absent_and_the_default_value_differ() {
    each(|time, cache| {
        time.block_on(async {
            let _ = cache.put(&1, 0).await;
            let _ = cache.put(&2, None::<u64>).await;
            assert_eq!(cache.get(&1).await, Got::Value(0.into()));
            assert_eq!(cache.get(&2).await, Got::KnownAbsent);
            assert_eq!(cache.get(&3).await, Got::Unknown);
        });
    });
}

#[test]
fn fc5_remove_and_expire_end_one_entry() {
    each_with_a_window(|time, cache| {
        time.block_on(async {
            for key in 1..=3 {
                let _ = cache.put(&key, key).await;
            }
            let _ = cache.invalidate(&1).await;
            let _ = cache.expire(&2).await;
            let _ = cache.invalidate(&9).await;
            assert_eq!(cache.get(&1).await, Got::Unknown);
            assert_eq!(cache.get(&2).await, Got::Unknown, "fresh no more");
            assert_eq!(cache.get(&3).await, Got::Value(3.into()));
            let failing = || async { Err::<u64, _>("down".to_owned()) };
            let removed = cache.get_or_load(&1, failing).await;
            assert!(removed.is_err(), "gone for good");
            let expired = cache.get_or_load(&2, failing).await;
            assert_eq!(expired.unwrap(), 2, "where there is nothing better");
            time.hand().advance(SECOND * 60);
            let again = cache.get_or_load(&2, || async { 22 }).await;
            assert_eq!(again.unwrap(), 22);
        });
    });
}

#[test]
fn fc6_a_time_of_zero_keeps_nothing_and_an_endless_one_the_longest() {
    each(|time, cache| {
        let source = Source::ready();
        let call = |ttl| {
            let terms = Terms {
                ttl: Some(ttl),
                ..Terms::default()
            };
            time.block_on(loaded(cache, &source, terms, After::default()))
                .unwrap()
        };
        for calls in 1..=3 {
            call(Duration::ZERO);
            assert_eq!(source.calls(), calls);
        }
        call(Duration::MAX);
        time.advance(2 * TTL);
        call(Duration::MAX);
        assert_eq!(source.calls(), 4);
    });
}

#[test]
fn fc7_an_absence_is_cached() {
    each(|time, cache| {
        time.block_on(async {
            let absent = cache.get_or_load(&1, || async { None::<u64> }).await;
            assert_eq!(absent.unwrap(), None);
            let held = cache.get_or_load(&1, || async { Some(7) }).await;
            assert_eq!(held.unwrap(), None);
        });
        time.advance(11 * SECOND);
        let gone = time.block_on(cache.get(&1));
        assert_eq!(gone, Got::Unknown, "not as long as a value");
    });
}

#[test]
fn fc8_a_default_that_is_loaded_is_stored() {
    each(|time, cache| {
        time.block_on(async {
            let got = cache.get_or_load(&1, || async { u64::default() }).await;
            assert_eq!(got.unwrap(), 0);
            assert_eq!(cache.get(&1).await, Got::Value(0.into()));
        });
    });
}

/// The last holder drops what a cache held, in the far tier too.
#[test]
fn fc10_a_cache_that_is_dropped_lets_its_name_go() {
    let time = larder_kit::Virtual::new();
    let shelf = crate::far::support::shelf(&time);
    let larder = crate::far::support::larder(&time, &shelf);
    let build = || larder.cache::<u64, u64>("numbers").ttl(TTL).far().build();
    let cache: Cache<u64, u64> = build().unwrap();
    assert!(build().is_err(), "one name, one cache");
    time.block_on(cache.put(&1, 1));
    drop(cache);
    time.advance(2 * SECOND);
    let again = build().unwrap();
    assert_eq!(
        time.block_on(again.get(&1)),
        Got::Value(1.into()),
        "far keeps it"
    );
}
