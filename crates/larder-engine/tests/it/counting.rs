//! Every call is counted once, whatever becomes of it.

use std::future::{Future, pending};
use std::pin::Pin;

use futures_lite::future::{poll_once, yield_now};
use larder_core::Runtime;
use larder_engine::{Cache, Stats};
use larder_kit::Virtual;

use crate::support::{Numbers, SECOND, Source, begin, larder, numbers, panicking};

fn calls(stats: &Stats) -> u64 {
    let answered = stats.near + stats.joined + stats.loaded + stats.bypassed + stats.failed;
    answered + stats.missed + stats.abandoned
}

#[test]
fn one_call_of_each_end_counts_one_of_each() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    assert_eq!(cache.stats(), Stats::default());
    let mut leader = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut leader);
    let mut joined = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut joined);
    let mut leaving = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut leaving);
    drop(leaving);
    assert_eq!(cache.stats().running, 1);
    source.gate.open();
    time.block_on(async {
        leader.await.unwrap();
        joined.await.unwrap();
        source.fetch(&cache, 1).await.unwrap();
        cache.get(&1).await;
        cache.get(&2).await;
        let failing = cache.get_or_load(&3, || async { Err::<u64, _>(std::fmt::Error) });
        failing.await.unwrap_err();
    });
    let stats = cache.stats();
    let expected = (2, 1, 1, 1, 1, 1);
    let counted = (
        stats.near,
        stats.joined,
        stats.loaded,
        stats.failed,
        stats.missed,
        stats.abandoned,
    );
    assert_eq!(counted, expected);
    assert_eq!((stats.running, stats.entries), (0, 1));
}

#[test]
fn a_call_that_was_never_polled_is_no_call() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    drop(source.fetch(&cache, 1));
    drop(cache.get(&1));
    assert_eq!(cache.stats(), Stats::default());
    assert_eq!(source.calls(), 0);
}

#[test]
fn changes_are_counted_when_they_are_done() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(async {
        for _ in 0..3 {
            cache.put(&1, 1).await;
        }
        cache.invalidate(&1).await;
        cache.invalidate(&9).await;
        cache.clear().await;
    });
    let stats = cache.stats();
    assert_eq!((stats.puts, stats.invalidations, stats.clears), (3, 2, 1));
    assert_eq!(calls(&stats), 0);
}

#[test]
fn a_refused_result_is_counted_beside_its_call() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let mut call = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut call);
    time.block_on(cache.clear());
    source.gate.open();
    time.block_on(call).unwrap();
    let stats = cache.stats();
    assert_eq!((stats.refused, stats.loaded, calls(&stats)), (1, 1, 1));
}

#[test]
fn caches_count_for_themselves() {
    let time = Virtual::new();
    let larder = larder(&time);
    let one: Numbers = larder.cache("one").build().unwrap();
    let two: Cache<u64, String> = larder.cache("two").build().unwrap();
    time.block_on(async {
        one.get(&1).await;
        two.get(&1).await;
        two.get(&1).await;
    });
    assert_eq!((one.stats().missed, two.stats().missed), (1, 2));
}

/// A call, and what it may do in its load.
fn call(time: &Virtual, cache: &Numbers) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let (key, kind) = (time.random() % 4, time.random() % 8);
    let (cache, sleep) = (cache.clone(), time.random() % 3);
    let sleep = time.sleep(SECOND * sleep as u32);
    Box::pin(async move {
        match kind {
            0 => drop(cache.get(&key).await),
            1 => drop(cache.get_or_load(&key, pending::<u64>).await),
            2 => drop(cache.get_or_load(&key, panicking).await),
            3 => {
                let failing = async move {
                    sleep.await;
                    Err::<u64, _>(std::fmt::Error)
                };
                drop(cache.get_or_load(&key, || failing).await);
            }
            4 => {
                let absent = async move {
                    yield_now().await;
                    None::<u64>
                };
                drop(cache.get_or_load(&key, || absent).await);
            }
            _ => {
                let load = async move {
                    sleep.await;
                    key
                };
                drop(cache.fetch(&key, || load).await);
            }
        }
    })
}

/// Makes calls in a mix of all kinds, and counts them.
fn mix(seed: u64) -> Stats {
    let time = Virtual::seeded(seed);
    let cache = numbers(&time).ttl(SECOND * 3).deadline(SECOND * 2);
    let cache = cache.max_loads(3).capacity(2).build().unwrap();
    let mut running = Vec::new();
    for _ in 0..200 {
        running.push(call(&time, &cache));
        running.retain_mut(|call| time.block_on(poll_once(call)).is_none());
        match time.random() % 8 {
            0 => drop(running.pop()),
            1 => time.advance(SECOND),
            2 => drop(time.block_on(cache.clear())),
            3 => drop(time.block_on(cache.invalidate(&(time.random() % 4)))),
            4..6 => time.run_until_idle(),
            _ => {}
        }
    }
    time.advance(SECOND * 10);
    running.into_iter().for_each(|call| time.block_on(call));
    let stats = cache.stats();
    assert_eq!(calls(&stats), 200, "seed {seed}: {stats:?}");
    assert_eq!(stats.running, 0, "seed {seed}");
    stats
}

#[test]
fn in_a_mix_of_all_every_call_is_counted_once() {
    let mut ends = [0; 7];
    for seed in 0..50 {
        let stats = mix(seed);
        let seen = [
            stats.near,
            stats.joined,
            stats.loaded,
            stats.failed,
            stats.missed,
            stats.abandoned,
            stats.refused,
        ];
        for (sum, seen) in ends.iter_mut().zip(seen) {
            *sum += seen;
        }
    }
    assert!(
        ends.iter().all(|&sum| sum > 50),
        "each end is reached: {ends:?}"
    );
}
