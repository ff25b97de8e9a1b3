//! A load always ends by its deadline.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use larder_core::LoadErrorKind::{Refused, TimedOut};
use larder_engine::Got;
use larder_kit::Virtual;

use crate::support::{INSTANT, SECOND, Source, begin, numbers};

const THIRTY: Duration = Duration::from_secs(30);

#[test]
fn without_a_setting_it_is_thirty_seconds() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let mut call = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut call);
    time.advance(THIRTY - INSTANT);
    begin(&time, &mut call);
    time.advance(INSTANT);
    let error = time.block_on(call).unwrap_err();
    assert_eq!(error.kind(), TimedOut);
    assert!(error.to_string().contains("30s"), "{error}");
}

#[test]
fn it_counts_from_the_start_of_the_load_for_whoever_waits() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let mut first = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut first);
    time.advance(THIRTY - SECOND);
    let mut second = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut second);
    time.advance(SECOND);
    for call in [first, second] {
        assert_eq!(time.block_on(call).unwrap_err().kind(), TimedOut);
    }
    assert_eq!(source.calls(), 1);
}

#[test]
fn it_ends_a_load_that_nobody_waits_for() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let mut call = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut call);
    drop(call);
    time.advance(THIRTY);
    assert_eq!(source.gate.waiting(), 0, "the load is dropped");
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn after_it_the_key_is_free_and_other_keys_never_noticed() {
    let time = Virtual::new();
    let cache = numbers(&time).deadline(SECOND).build().unwrap();
    let source = Source::ready();
    for _ in 0..3 {
        let mut hanging = Box::pin(cache.get_or_load(&1, pending::<u64>));
        begin(&time, &mut hanging);
        time.block_on(source.fetch(&cache, 2)).unwrap();
        time.advance(SECOND);
        assert_eq!(time.block_on(hanging).unwrap_err().kind(), TimedOut);
    }
    assert_eq!(time.block_on(source.fetch(&cache, 1)).unwrap().value, 1);
}

#[test]
fn at_it_a_new_call_does_not_join() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let mut hanging = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut hanging);
    time.run_until_idle();
    // The deadline has passed, and nobody has noticed yet.
    time.hand().advance(THIRTY);
    let mut fresh = Box::pin(Source::ready().fetch(&cache, 1));
    begin(&time, &mut fresh);
    assert_eq!(time.block_on(fresh).unwrap().value, 1);
    assert_eq!(time.block_on(hanging).unwrap_err().kind(), TimedOut);
}

#[test]
fn a_result_that_comes_too_late_is_not_kept() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let mut call = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut call);
    time.run_until_idle();
    // The load is ready in the same instant in which its time is over.
    time.hand().advance(THIRTY);
    source.gate.open();
    assert_eq!(time.block_on(call).unwrap_err().kind(), TimedOut);
    time.run_until_idle();
    assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
    assert_eq!(cache.stats().entries, 0);
}

#[test]
fn a_load_that_holds_up_its_thread_past_the_deadline_is_not_kept() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let hand = time.hand();
    let call = cache.get_or_load(&1, move || async move {
        hand.advance(THIRTY);
        7
    });
    assert_eq!(time.block_on(call).unwrap_err().kind(), TimedOut);
    assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
}

#[test]
fn a_runtime_that_runs_nothing_ends_calls_by_it_too() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let mut call = Box::pin(Source::ready().fetch(&cache, 1));
    begin(&time, &mut call);
    time.drop_tasks();
    assert_eq!(time.block_on(call).unwrap_err().kind(), Refused);
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn a_load_is_dropped_with_all_it_holds_when_its_time_is_over() {
    let time = Virtual::new();
    let cache = numbers(&time).deadline(SECOND).build().unwrap();
    let held = Arc::new(());
    let body = Arc::clone(&held);
    let mut call = Box::pin(cache.get_or_load(&1, move || async move {
        let _held = body;
        pending::<u64>().await
    }));
    begin(&time, &mut call);
    time.advance(SECOND - INSTANT);
    assert_eq!(Arc::strong_count(&held), 2);
    time.advance(INSTANT);
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn nothing_is_left_of_a_load_that_ended_in_time() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let ended = Arc::new(AtomicBool::new(false));
    let sleep = larder_core::Runtime::sleep(&time, SECOND);
    let end = Arc::clone(&ended);
    let mut call = Box::pin(cache.get_or_load(&1, move || async move {
        sleep.await;
        end.store(true, Ordering::SeqCst);
        7
    }));
    begin(&time, &mut call);
    time.advance(SECOND);
    assert_eq!(time.block_on(call).unwrap(), 7);
    assert!(ended.load(Ordering::SeqCst));
    // What sleeps and runs on is the sweep.
    assert_eq!((time.sleepers(), time.tasks()), (1, 1));
}
