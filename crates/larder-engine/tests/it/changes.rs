//! After a change of the cache has returned, no call that starts later gets an older value: each
//! change against a load at each point of its way, and against each other.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use larder_core::LoadError;
use larder_engine::{Fetched, Got};
use larder_kit::{Gate, Virtual};

use crate::support::{Numbers, Source, begin, larder, numbers};

/// How a newer version is announced to the cache.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    Invalidate,
    Clear,
    Put,
    PutAbsence,
}

const CHANGES: [Change; 4] = [
    Change::Invalidate,
    Change::Clear,
    Change::Put,
    Change::PutAbsence,
];

impl Change {
    async fn announce(self, cache: &Numbers, version: u64) {
        let done = match self {
            Self::Invalidate => cache.invalidate(&1).await,
            Self::Clear => cache.clear().await,
            Self::Put => cache.put(&1, version).await,
            Self::PutAbsence => cache.put(&1, None::<u64>).await,
        };
        assert_eq!(done, larder_engine::Change::Done);
    }
}

/// Where a load is when the change comes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Point {
    /// Nobody has called yet.
    Before,
    /// Its task is spawned and has not run.
    Spawned,
    /// It has read the source and goes on.
    Read,
    /// Its result is kept and was not handed out.
    Kept,
    /// Its callers have it.
    Given,
}

const POINTS: [Point; 5] = [
    Point::Before,
    Point::Spawned,
    Point::Read,
    Point::Kept,
    Point::Given,
];

type Call = Pin<Box<dyn Future<Output = Result<Fetched<u64>, LoadError>> + Send>>;

/// Two calls whose load is taken to `point`; those that are not answered then.
fn calls_at(point: Point, time: &Virtual, cache: &Numbers, source: &Source) -> Vec<Call> {
    if point == Point::Before {
        return Vec::new();
    }
    let mut calls: Vec<Call> = Vec::new();
    for _ in 0..2 {
        let mut call: Call = Box::pin(source.fetch(cache, 1));
        begin(time, &mut call);
        calls.push(call);
    }
    if point != Point::Spawned {
        time.run_until_idle();
    }
    if matches!(point, Point::Kept | Point::Given) {
        source.gate.open();
        time.run_until_idle();
        source.gate.close();
    }
    if point == Point::Given {
        for call in calls.drain(..) {
            assert_eq!(time.block_on(call).unwrap().value, 1);
        }
    }
    calls
}

fn now(time: &Virtual, cache: &Numbers) -> Option<Option<u64>> {
    match time.block_on(cache.get(&1)) {
        Got::Value(value) => Some(Some(*value)),
        Got::KnownAbsent => Some(None),
        Got::Unknown => None,
    }
}

fn a_change_is_never_undone(change: Change, point: Point) {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let early = calls_at(point, &time, &cache, &source);
    let version = source.change();
    time.block_on(change.announce(&cache, version));

    let at_once = match change {
        Change::Invalidate | Change::Clear => None,
        Change::Put => Some(Some(version)),
        Change::PutAbsence => Some(None),
    };
    assert_eq!(now(&time, &cache), at_once);
    let mut late: Call = Box::pin(source.fetch(&cache, 1));
    if change != Change::Put {
        begin(&time, &mut late);
        time.run_until_idle();
    }

    source.gate.open();
    for call in early {
        let value = time.block_on(call).unwrap().value;
        assert!(value == 1 || value == version, "{value}");
    }
    assert_eq!(time.block_on(late).unwrap().value, version);
    time.run_until_idle();
    assert_eq!(now(&time, &cache), Some(Some(version)));
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn each_change_at_each_point_of_a_load() {
    for change in CHANGES {
        for point in POINTS {
            println!("{change:?} {point:?}");
            a_change_is_never_undone(change, point);
        }
    }
}

#[test]
fn a_change_with_no_later_call_leaves_no_old_value_behind() {
    for change in CHANGES {
        for point in POINTS {
            println!("{change:?} {point:?}");
            let time = Virtual::new();
            let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
            let early = calls_at(point, &time, &cache, &source);
            let version = source.change();
            time.block_on(change.announce(&cache, version));
            let after = now(&time, &cache);
            drop(early);
            source.gate.open();
            time.run_until_idle();
            assert_eq!(now(&time, &cache), after);
        }
    }
}

#[test]
fn each_change_after_each_change() {
    for first in CHANGES {
        for second in CHANGES {
            for point in POINTS {
                println!("{first:?} {second:?} {point:?}");
                let time = Virtual::new();
                let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
                drop(calls_at(point, &time, &cache, &source));
                let version = source.change();
                time.block_on(first.announce(&cache, version));
                drop(calls_between(&time, &cache, &source));
                let version = source.change();
                time.block_on(second.announce(&cache, version));
                source.gate.open();
                let late = time.block_on(source.fetch(&cache, 1)).unwrap();
                assert_eq!(late.value, version);
                time.run_until_idle();
                assert_eq!(now(&time, &cache), Some(Some(version)));
            }
        }
    }
}

/// A call that begins between two changes, if it has to wait.
fn calls_between(time: &Virtual, cache: &Numbers, source: &Source) -> Option<Call> {
    if now(time, cache).flatten().is_some() {
        return None;
    }
    let mut call: Call = Box::pin(source.fetch(cache, 1));
    begin(time, &mut call);
    time.run_until_idle();
    Some(call)
}

#[test]
fn a_running_load_is_not_joined_after_a_change_but_serves_those_who_came_before() {
    for change in [Change::Invalidate, Change::Clear] {
        let time = Virtual::new();
        let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
        let early = calls_at(Point::Read, &time, &cache, &source);
        let version = source.change();
        time.block_on(change.announce(&cache, version));
        let mut late: Vec<Call> = Vec::new();
        for _ in 0..3 {
            let mut call: Call = Box::pin(source.fetch(&cache, 1));
            begin(&time, &mut call);
            late.push(call);
        }
        time.run_until_idle();
        assert_eq!(source.calls(), 2, "one load for all who came after");
        source.gate.open();
        for call in early {
            assert_eq!(time.block_on(call).unwrap().value, 1);
        }
        for call in late {
            assert_eq!(time.block_on(call).unwrap().value, version);
        }
        assert_eq!(source.calls(), 2);
    }
}

#[test]
fn of_two_puts_the_last_at_the_cache_wins() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(async {
        cache.put(&1, 9).await;
        cache.put(&1, 8).await;
    });
    assert_eq!(now(&time, &cache), Some(Some(8)));
    time.block_on(cache.put(&1, None::<u64>));
    assert_eq!(now(&time, &cache), Some(None));
    time.block_on(cache.put(&1, Arc::new(3)));
    assert_eq!(now(&time, &cache), Some(Some(3)));
}

#[test]
fn a_change_runs_when_it_is_polled_and_not_before() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(cache.put(&1, 1));
    drop(cache.put(&1, 2));
    drop(cache.invalidate(&1));
    drop(cache.clear());
    assert_eq!(now(&time, &cache), Some(Some(1)));
}

/// The weigher runs between the check of a load's ticket and the store of its result.
#[test]
fn a_change_between_the_check_and_the_store_of_a_result_wins() {
    for change in CHANGES {
        println!("{change:?}");
        let time = Virtual::new();
        let (checked, go_on) = (Gate::closed(), Gate::closed());
        let stop = Arc::new(OnceLock::new());
        let weigh = {
            let (checked, go_on, stop) = (checked.clone(), go_on.clone(), Arc::clone(&stop));
            move |_: &u64, _: &u64| {
                if stop.set(()).is_ok() {
                    checked.open();
                    futures_lite::future::block_on(go_on.wait());
                }
                1
            }
        };
        let cache: Numbers = larder(&time)
            .cache("weighed")
            .weight(100, weigh)
            .build()
            .unwrap();
        let source = Source::ready();
        let version = std::thread::scope(|scope| {
            let load = scope.spawn(|| time.block_on(source.fetch(&cache, 1)).unwrap());
            let version = futures_lite::future::block_on(async {
                checked.wait().await;
                let version = source.change();
                // It may have to wait for the store, so that must be able to go on.
                go_on.open();
                change.announce(&cache, version).await;
                version
            });
            load.join().unwrap();
            version
        });
        match change {
            Change::Put => assert_eq!(now(&time, &cache), Some(Some(version))),
            Change::PutAbsence => assert_eq!(now(&time, &cache), Some(None)),
            Change::Invalidate | Change::Clear => assert_eq!(now(&time, &cache), None),
        }
        let late = time.block_on(source.fetch(&cache, 1)).unwrap();
        assert_eq!(late.value, version);
    }
}
