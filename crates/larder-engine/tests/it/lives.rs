//! Whose a load is: the cache's, or its callers'.

mod matrix;

use std::future::Future;
use std::pin::Pin;

use larder_core::LoadError;
use larder_engine::{CallOptions, Got};
use larder_kit::Virtual;

use crate::support::{Numbers, SECOND, Source, begin, numbers};

type Call = Pin<Box<dyn Future<Output = Result<u64, LoadError>> + Send>>;

fn call(cache: &Numbers, source: &Source, options: CallOptions) -> Call {
    let (cache, source) = (cache.clone(), source.clone());
    Box::pin(async move {
        let load = move || source.read();
        cache.get_or_load_with(&1, options, load).await
    })
}

fn cancelling(cache: &Numbers, source: &Source) -> Call {
    call(cache, source, CallOptions::new().cancel())
}

/// Begins calls and runs the loads that they start.
fn begun<const N: usize>(time: &Virtual, mut calls: [Call; N]) -> [Call; N] {
    for call in &mut calls {
        begin(time, call);
    }
    time.run_until_idle();
    calls
}

#[test]
fn l2_a_cancelling_load_ends_with_its_last_caller() {
    let time = Virtual::new();
    let cache = numbers(&time).max_loads(1).build().unwrap();
    let source = Source::held();
    let calls = [1, 2, 3].map(|_| cancelling(&cache, &source));
    let [one, two, three] = begun(&time, calls);
    drop((one, three));
    assert_eq!((source.gate.waiting(), cache.stats().running), (1, 1));
    drop(two);
    assert_eq!(cache.stats().running, 0, "its place is free at once");
    let next = time.block_on(Source::ready().fetch(&cache, 1)).unwrap();
    assert_eq!(next.value, 1);
    assert_eq!(source.gate.waiting(), 0, "the load is dropped");
    assert_eq!((time.tasks(), time.sleepers()), (1, 1), "the sweep is left");
    assert_eq!(source.calls(), 1);
}

#[test]
fn l2_a_cancelling_load_goes_on_for_whoever_waits() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let calls = [1, 2].map(|_| cancelling(&cache, &source));
    let [first, second] = begun(&time, calls);
    drop(first);
    source.gate.open();
    assert_eq!(time.block_on(second).unwrap(), 1);
    assert_eq!(time.block_on(cache.get(&1)).value().as_deref(), Some(&1));
    assert_eq!(source.calls(), 1);
}

#[test]
fn l2_a_caller_that_detaches_keeps_a_cancelling_load_alive() {
    for detaching_is_first in [false, true] {
        let time = Virtual::new();
        let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
        let detaching = call(&cache, &source, CallOptions::new());
        let mut calls = [cancelling(&cache, &source), detaching];
        if detaching_is_first {
            calls.swap(0, 1);
        }
        drop(begun(&time, calls));
        source.gate.open();
        time.run_until_idle();
        assert_eq!(time.block_on(cache.get(&1)).value().as_deref(), Some(&1));
    }
}

#[test]
fn l2_a_cancelled_load_stores_nothing_though_it_was_ready() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let calls = begun(&time, [cancelling(&cache, &source)]);
    source.gate.open();
    drop(calls);
    time.run_until_idle();
    assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
    assert_eq!(cache.stats().entries, 0);
}

#[test]
fn l2_a_cancelling_load_has_its_deadline() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let options = CallOptions::new().cancel().deadline(SECOND);
    let [call] = begun(&time, [call(&cache, &source, options)]);
    time.advance(SECOND);
    assert!(time.block_on(call).is_err());
    assert_eq!((source.gate.waiting(), cache.stats().running), (0, 0));
}

/// The load ends by the clock of a caller before its own task runs again.
#[test]
fn l3_a_timeout_that_a_caller_sees_frees_the_loads_place_at_once() {
    let time = Virtual::new();
    let cache = numbers(&time).max_loads(1).deadline(SECOND).build();
    let (cache, source) = (cache.unwrap(), Source::held());
    let mut call = call(&cache, &source, CallOptions::new());
    begin(&time, &mut call);
    time.run_until_idle();
    time.hand().advance(SECOND);
    assert!(time.block_on(call).is_err());
    let next = time.block_on(Source::ready().fetch(&cache, 2));
    assert_eq!(next.unwrap().value, 1);
}
