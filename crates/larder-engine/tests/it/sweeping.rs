//! What has expired is dropped from memory, for as long as anybody holds the cache.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use larder_engine::Cache;
use larder_kit::Virtual;

use crate::support::{INSTANT, SECOND, TTL, larder, numbers};

const MINUTE: Duration = Duration::from_secs(60);

/// Puts a value, and gives what tells whether it is still in memory.
fn put(time: &Virtual, cache: &Cache<u64, u64>, key: u64) -> Weak<u64> {
    let value = Arc::new(key);
    let weak = Arc::downgrade(&value);
    time.block_on(cache.put(&key, value));
    weak
}

#[test]
fn an_expired_value_leaves_memory_within_a_minute_of_its_end() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.advance(SECOND);
    let value = put(&time, &cache, 1);
    time.advance(TTL);
    assert_eq!(value.strong_count(), 1);
    time.advance(MINUTE);
    assert_eq!(value.strong_count(), 0);
    assert_eq!(cache.stats().entries, 0);
}

#[test]
fn short_lives_are_swept_more_often() {
    let time = Virtual::new();
    let cache = numbers(&time).ttl(SECOND * 2).build().unwrap();
    time.advance(SECOND);
    let value = put(&time, &cache, 1);
    time.advance(SECOND * 3 - INSTANT);
    assert_eq!(value.strong_count(), 1);
    time.advance(INSTANT);
    assert_eq!(value.strong_count(), 0);
}

#[test]
fn what_is_fresh_stays() {
    let time = Virtual::new();
    let cache = numbers(&time).ttl(MINUTE * 2).build().unwrap();
    let old = put(&time, &cache, 1);
    time.advance(MINUTE);
    let young = put(&time, &cache, 2);
    time.advance(MINUTE);
    assert_eq!((old.strong_count(), young.strong_count()), (0, 1));
    assert!(time.block_on(cache.get(&2)).value().is_some());
}

#[test]
fn a_thousand_expired_entries_go_together() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let values: Vec<_> = (0..1_000).map(|key| put(&time, &cache, key)).collect();
    assert_eq!(cache.stats().entries, 1_000);
    time.advance(TTL + MINUTE);
    assert_eq!(cache.stats().entries, 0);
    assert!(values.iter().all(|value| value.strong_count() == 0));
}

#[test]
fn invalidated_and_cleared_values_leave_memory_at_once() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let (one, two) = (put(&time, &cache, 1), put(&time, &cache, 2));
    time.block_on(cache.invalidate(&1));
    assert_eq!(one.strong_count(), 0);
    time.block_on(cache.clear());
    assert_eq!(two.strong_count(), 0);
}

#[test]
fn it_ends_with_the_cache_and_holds_nothing_back() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let value = put(&time, &cache, 1);
    time.run_until_idle();
    assert_eq!(time.tasks(), 1);
    drop(cache);
    assert_eq!(value.strong_count(), 0, "the entries go with the cache");
    time.advance(MINUTE);
    assert_eq!((time.tasks(), time.sleepers()), (0, 0));
}

#[test]
fn where_nothing_expires_nothing_is_swept() {
    let time = Virtual::new();
    let cache = larder(&time).cache::<u64, u64>("endless");
    let _cache = cache.cache_absence(false).build().unwrap();
    time.run_until_idle();
    assert_eq!(time.tasks(), 0);
}

/// Panics when it is dropped.
struct Panicking(Arc<AtomicUsize>);

impl Drop for Panicking {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
        panic!("on purpose");
    }
}

#[test]
fn a_value_that_panics_when_dropped_harms_no_thread_and_no_later_sweep() {
    let time = Virtual::new();
    let drops = Arc::new(AtomicUsize::new(0));
    let cache: Cache<u64, Panicking> = larder(&time).cache("bad").ttl(SECOND).build().unwrap();
    for round in 1..4 {
        time.block_on(cache.put(&1, Arc::new(Panicking(Arc::clone(&drops)))));
        time.advance(SECOND * 2);
        assert_eq!(drops.load(Ordering::SeqCst), round);
        assert_eq!(cache.stats().entries, 0);
    }
}
