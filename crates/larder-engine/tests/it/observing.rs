//! Observing lists the cached calls of a task and of nothing else.

use std::panic::AssertUnwindSafe;

use futures_lite::FutureExt;
use futures_lite::future::{poll_once, yield_now, zip};
use futures_lite::pin;
use larder_engine::{Cache, Observation, Outcome, Why, observe, observe_blocking};
use larder_kit::Virtual;

use crate::support::{Numbers, SECOND, Source, begin, larder, numbers};

fn lines(seen: &[Observation]) -> Vec<String> {
    let line = |one: &Observation| format!("{} {}", one.cache(), one.outcome().detail());
    seen.iter().map(line).collect()
}

fn two_caches(time: &Virtual) -> (Numbers, Numbers) {
    let larder = larder(time);
    let build = |name| larder.cache(name).build().unwrap();
    (build("one"), build("two"))
}

#[test]
fn the_calls_of_a_task_are_listed_in_the_order_of_their_ends() {
    let time = Virtual::new();
    let (one, two) = two_caches(&time);
    let source = Source::ready();
    let (sum, seen) = time.block_on(observe(async {
        let a = source.fetch(&one, 1).await.unwrap().value;
        let b = one.get_or_load(&1, || async { 9 }).await.unwrap();
        let c = source.fetch(&two, 1).await.unwrap().value;
        one.get(&1).await;
        a + b + c
    }));
    assert_eq!(sum, 3);
    assert_eq!(
        lines(&seen),
        ["one loaded", "one near", "two loaded", "one near"]
    );
    let Outcome::Loaded { why, stored, .. } = *seen[0].outcome() else {
        panic!("{seen:?}");
    };
    assert_eq!((why, stored), (Why::Absent, true));
}

#[test]
fn an_outer_list_holds_the_inner_one() {
    let time = Virtual::new();
    let (one, two) = two_caches(&time);
    let source = Source::ready();
    let (inner, outer) = time.block_on(observe(async {
        source.fetch(&one, 1).await.unwrap();
        let (_, inner) = observe(async {
            source.fetch(&two, 1).await.unwrap();
            // Over a wait the lists are put aside and come back.
            yield_now().await;
            observe(source.fetch(&two, 1)).await.0.unwrap();
        })
        .await;
        source.fetch(&one, 1).await.unwrap();
        inner
    }));
    assert_eq!(lines(&inner), ["two loaded", "two near"]);
    assert_eq!(
        lines(&outer),
        ["one loaded", "two loaded", "two near", "one near"]
    );
}

#[test]
fn two_tasks_on_one_thread_see_their_own_calls() {
    let time = Virtual::new();
    let (one, two) = two_caches(&time);
    let (left, right) = (Source::held(), Source::held());
    let both = zip(observe(left.fetch(&one, 1)), observe(right.fetch(&two, 1)));
    pin!(both);
    begin(&time, &mut both);
    time.run_until_idle();
    right.gate.open();
    left.gate.open();
    let ((_, left), (_, right)) = time.block_on(both);
    assert_eq!(lines(&left), ["one loaded"]);
    assert_eq!(lines(&right), ["two loaded"]);
}

#[test]
fn a_load_keeps_its_own_calls_to_itself() {
    let time = Virtual::new();
    let (one, two) = two_caches(&time);
    let inner = two.clone();
    let call = one.get_or_load(&1, move || async move {
        inner.get_or_load(&1, || async { 7 }).await.unwrap()
    });
    let (value, seen) = time.block_on(observe(call));
    assert_eq!(value.unwrap(), 7);
    assert_eq!(lines(&seen), ["one loaded"]);
    assert_eq!(two.stats().loaded, 1);
}

#[test]
fn failed_calls_are_seen_and_dropped_ones_are_not() {
    let time = Virtual::new();
    let (cache, _) = two_caches(&time);
    let held = Source::held();
    let ((), seen) = time.block_on(observe(async {
        let leaving = held.fetch(&cache, 1);
        pin!(leaving);
        assert!(poll_once(leaving.as_mut()).await.is_none());
        let failing = cache.get_or_load(&2, || async { Err::<u64, _>(std::fmt::Error) });
        failing.await.unwrap_err();
    }));
    assert_eq!(lines(&seen), ["one failed"]);
}

#[test]
fn the_list_follows_its_task_from_thread_to_thread() {
    let time = Virtual::new();
    let (one, two) = two_caches(&time);
    let source = Source::held();
    let mut task = Box::pin(observe({
        let (first, second) = (source.fetch(&one, 1), source.fetch(&two, 1));
        async move {
            yield_now().await;
            first.await.unwrap();
            second.await.unwrap();
        }
    }));
    begin(&time, &mut task);
    let elsewhere = time.clone();
    let task = std::thread::spawn(move || {
        begin(&elsewhere, &mut task);
        elsewhere.run_until_idle();
        task
    });
    let task = task.join().unwrap();
    source.gate.open();
    let ((), seen) = time.block_on(task);
    assert_eq!(lines(&seen), ["one loaded", "two loaded"]);
}

#[test]
fn a_panic_inside_leaves_the_thread_as_it_was() {
    let time = Virtual::new();
    let (cache, _) = two_caches(&time);
    time.block_on(cache.put(&1, 7));
    let ((), outer) = time.block_on(observe(async {
        let panicking = observe(async {
            cache.get(&1).await;
            panic!("on purpose");
        });
        let panicked = AssertUnwindSafe(panicking).catch_unwind().await;
        assert!(panicked.is_err());
        cache.get(&1).await;
    }));
    assert_eq!(lines(&outer), ["one near"]);
    let ((), after) = time.block_on(observe(async {}));
    assert!(after.is_empty());
}

#[test]
fn what_is_dropped_half_way_leaves_nothing_behind() {
    let time = Virtual::new();
    let (cache, _) = two_caches(&time);
    time.block_on(cache.put(&1, 7));
    let mut task = Box::pin(observe({
        let (cache, sleep) = (cache.clone(), time.spawn(async {}));
        async move {
            cache.get(&1).await;
            sleep.await;
        }
    }));
    begin(&time, &mut task);
    drop(task);
    let ((), seen) = time.block_on(observe(async { drop(cache.get(&1).await) }));
    assert_eq!(lines(&seen), ["one near"]);
}

#[test]
fn an_observed_hit_has_its_age_and_what_is_left() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(cache.put(&1, 7));
    time.advance(SECOND);
    let (_, seen) = time.block_on(observe(cache.get(&1)));
    let Outcome::Near { age, left, .. } = *seen[0].outcome() else {
        panic!("{seen:?}");
    };
    assert_eq!((age, left), (SECOND, Some(SECOND * 299)));
}

#[test]
fn a_cache_of_another_type_is_listed_by_its_name_too() {
    let time = Virtual::new();
    let texts: Cache<String, String> = larder(&time).cache("texts").build().unwrap();
    let call = texts.get_or_load("a", || async { "b".to_owned() });
    let (_, seen) = time.block_on(observe(call));
    assert_eq!(lines(&seen), ["texts loaded"]);
}

#[test]
fn calls_that_block_are_listed_and_told_to_who_observes_around_them() {
    let time = Virtual::new();
    let (one, two) = two_caches(&time);
    time.block_on(async { [one.put(&1, 7).await, two.put(&1, 7).await] });
    let call = |cache: &Numbers| drop(futures_lite::future::block_on(cache.get(&1)));
    let ((), outer) = observe_blocking(|| {
        call(&one);
        let ((), inner) = observe_blocking(|| call(&two));
        assert_eq!(lines(&inner), ["two near"]);
        let panicked = std::panic::catch_unwind(AssertUnwindSafe(|| {
            observe_blocking(|| {
                call(&two);
                panic!("on purpose");
            })
        }));
        assert!(panicked.is_err());
        call(&one);
    });
    assert_eq!(lines(&outer), ["one near", "two near", "one near"]);
    let ((), after) = observe_blocking(|| {});
    assert!(after.is_empty());
    call(&one);
}
