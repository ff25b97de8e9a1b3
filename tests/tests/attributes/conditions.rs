//! Whether to look and to store: `condition` and `unless`.

use std::rc::Rc;

use futures_lite::future::zip;
use larder::{Cache, Got, LoadError, cache_evict, cacheable};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, cache};

type Numbers = Cache<u64, usize>;

#[cacheable(cache, key = no, condition = no > 1)]
async fn under(cache: &Numbers, no: u64, calls: &Calls) -> Result<usize, LoadError> {
    Ok(calls.enter())
}

#[cacheable(cache, key = no, unless = |found| found.is_none_or(|call| call < 3))]
async fn from_three(cache: &Numbers, no: u64, calls: &Calls) -> Result<Option<usize>, LoadError> {
    Ok(Some(calls.enter()).filter(|call| *call > 1))
}

#[cacheable(cache, key = no, condition = no > 1, unless = |call| *call < 3)]
async fn both(cache: &Numbers, no: u64, calls: &Calls) -> usize {
    calls.enter()
}

#[cacheable(cache, key = no, unless = |_| no < 2)]
async fn gated(cache: &Numbers, no: u64, calls: &Calls, gate: &Gate) -> usize {
    gate.wait().await;
    calls.enter()
}

fn fresh() -> (Virtual, Numbers, Calls) {
    let time = Virtual::new();
    let cache = cache(&time);
    (time, cache, Calls::default())
}

#[test]
fn sp11_under_a_false_condition_nothing_is_looked_up_and_nothing_stored() {
    let (time, cache, calls) = fresh();
    time.block_on(async {
        cache.put(&1, 99_usize).await;
        for call in 1..=3 {
            assert_eq!(under(&cache, 1, &calls).await.ok(), Some(call));
        }
        assert_eq!(cache.get(&1).await.value().as_deref(), Some(&99));
        for _ in 0..3 {
            assert_eq!(under(&cache, 2, &calls).await.ok(), Some(4));
        }
    });
    assert_eq!(
        cache.stats().loaded,
        1,
        "the others were no calls of the cache"
    );
}

#[test]
fn sp12_unless_returns_what_it_does_not_store() {
    let (time, cache, calls) = fresh();
    time.block_on(async {
        assert_eq!(from_three(&cache, 1, &calls).await.ok(), Some(None));
        assert_eq!(cache.get(&1).await, Got::Unknown, "absence neither");
        for answer in [2, 3, 3] {
            let found = from_three(&cache, 1, &calls).await.ok();
            assert_eq!(found, Some(Some(answer)));
        }
    });
}

#[test]
fn condition_and_unless_together() {
    let (time, cache, calls) = fresh();
    time.block_on(async {
        assert_eq!(both(&cache, 1, &calls).await, 1);
        for answer in [2, 3, 3] {
            assert_eq!(both(&cache, 2, &calls).await, answer);
        }
        assert_eq!(both(&cache, 1, &calls).await, 4);
    });
}

#[test]
fn sp30_unless_and_sharing_a_load_go_together() {
    let (time, cache, calls) = fresh();
    let gate = Gate::opened();
    time.block_on(async {
        for (no, first, second) in [(1, 1, 2), (2, 3, 3)] {
            let together = zip(
                gated(&cache, no, &calls, &gate),
                gated(&cache, no, &calls, &gate),
            );
            assert_eq!(together.await, (first, first), "one load for both");
            assert_eq!(gated(&cache, no, &calls, &gate).await, second);
        }
    });
}

/// Under a false condition the body is the caller's, whatever the load would need.
#[cacheable(cache, key = no, condition = no > 1, load = hand_over)]
async fn here(cache: &Numbers, no: u64, rc: Rc<Calls>) -> usize {
    rc.enter()
}

#[test]
fn a_condition_stands_before_every_way_to_load() {
    let (time, cache, calls) = fresh();
    let calls = Rc::new(calls);
    time.block_on(async {
        for (no, answer) in [(1, 1), (1, 2), (2, 3), (2, 3)] {
            assert_eq!(here(&cache, no, Rc::clone(&calls)).await, answer);
        }
    });
}

#[cache_evict(cache, key = no, condition = no > 1)]
async fn evict(cache: &Numbers, no: u64) -> Result<(), LoadError> {
    Ok(())
}

#[cache_evict(cache, all, before, condition = really)]
async fn empty(cache: &Numbers, really: bool) {}

#[test]
fn an_eviction_under_a_condition() {
    let (time, cache, _) = fresh();
    time.block_on(async {
        for no in [1, 2, 3] {
            cache.put(&no, 7_usize).await;
        }
        let held = || async {
            let mut held = Vec::new();
            for no in [1, 2, 3] {
                held.push(cache.get(&no).await.value().is_some());
            }
            held
        };
        assert!(evict(&cache, 1).await.is_ok() && evict(&cache, 2).await.is_ok());
        assert_eq!(held().await, [true, false, true]);
        empty(&cache, false).await;
        assert_eq!(held().await, [true, false, true]);
        empty(&cache, true).await;
        assert_eq!(held().await, [false; 3]);
    });
}
