//! Every outcome and every reason of a load is reached.

use std::fmt::Error;
use std::future::{Future, pending};
use std::pin::Pin;

use futures_lite::future::{block_on, zip};
use larder_core::{LoadError, LoadErrorKind as Kind};
use larder_engine::{Fetched, Outcome, observe};
use larder_kit::{Gate, Virtual};

use crate::support::{Numbers, SECOND, Source, TTL, begin, larder, numbers, stranger};

/// An outcome as a line: its detail, and for a load its reason and whether it was stored.
fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Loaded { why, stored, .. } => format!("loaded {} {stored}", why.name()),
        outcome => outcome.detail().to_owned(),
    }
}

fn line(fetched: &Fetched<u64>) -> String {
    said(&fetched.outcome)
}

fn fetched(time: &Virtual, cache: &Numbers, source: &Source) -> String {
    line(&time.block_on(source.fetch(cache, 1)).unwrap())
}

#[test]
fn a_key_never_loaded_is_absent_and_then_near() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    assert_eq!(fetched(&time, &cache, &source), "loaded absent true");
    time.advance(SECOND * 3);
    let hit = time.block_on(source.fetch(&cache, 1)).unwrap();
    let Outcome::Near { age, left, .. } = hit.outcome else {
        panic!("{:?}", hit.outcome);
    };
    assert_eq!((age, left), (SECOND * 3, Some(TTL - SECOND * 3)));
}

#[test]
fn a_put_value_is_as_old_as_its_put() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    time.block_on(cache.put(&1, 7));
    time.advance(SECOND);
    let hit = time.block_on(source.fetch(&cache, 1)).unwrap();
    assert!(matches!(hit.outcome, Outcome::Near { age: SECOND, .. }));
    assert_eq!((hit.value, source.calls()), (7, 0));
}

#[test]
fn those_who_wait_for_a_load_joined_it() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    let both = zip(source.fetch(&cache, 1), source.fetch(&cache, 1));
    let (first, second) = time.block_on(both);
    assert_eq!(line(&first.unwrap()), "loaded absent true");
    assert_eq!(line(&second.unwrap()), "joined");
    assert_eq!(source.calls(), 1);
}

#[test]
fn what_was_invalidated_or_cleared_is_held_no_more() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    fetched(&time, &cache, &source);
    time.block_on(cache.invalidate(&1));
    assert_eq!(fetched(&time, &cache, &source), "loaded absent true");
    time.block_on(cache.clear());
    assert_eq!(fetched(&time, &cache, &source), "loaded absent true");
    assert_eq!(source.calls(), 3);
}

#[test]
fn a_key_whose_neighbour_was_invalidated_says_so() {
    let time = Virtual::new();
    // One entry, one slot: every key is every other's neighbour.
    let cache = numbers(&time).capacity(1).build().unwrap();
    let source = Source::ready();
    fetched(&time, &cache, &source);
    time.block_on(cache.invalidate(&2));
    assert_eq!(fetched(&time, &cache, &source), "loaded invalidated true");
}

#[test]
fn a_clear_between_the_check_and_the_store_of_a_result_says_so() {
    let time = Virtual::new();
    let (checked, cleared) = (Gate::closed(), Gate::closed());
    // The weigher runs between the two.
    let (arrive, wait) = (checked.clone(), cleared.clone());
    let weigh = move |_: &u64, _: &u64| {
        arrive.open();
        block_on(wait.wait());
        1
    };
    let cache: Numbers = larder(&time)
        .cache("cleared")
        .weight(100, weigh)
        .build()
        .unwrap();
    let source = Source::ready();
    let first = std::thread::scope(|scope| {
        let load = scope.spawn(|| fetched(&time, &cache, &source));
        block_on(async {
            checked.wait().await;
            cache.clear().await;
            cleared.open();
        });
        load.join().unwrap()
    });
    assert_eq!(first, "loaded absent true");
    assert_eq!(fetched(&time, &cache, &source), "loaded cleared true");
    assert_eq!(fetched(&time, &cache, &source), "near");
}

#[test]
fn a_result_that_was_invalidated_meanwhile_is_given_and_not_stored() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let mut call = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut call);
    time.block_on(cache.invalidate(&1));
    source.gate.open();
    assert_eq!(line(&time.block_on(call).unwrap()), "loaded absent false");
    assert_eq!(cache.stats().refused, 1);
    assert_eq!(cache.stats().entries, 0);
}

#[test]
fn one_who_came_late_to_a_load_that_is_invalidated_then_loads_again() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let stranger = time.block_on(stranger(&cache, 1));
    let source = Source::held();
    let mut leader = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut leader);
    let mut early = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut early);
    time.block_on(cache.invalidate(&stranger));
    let mut late = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut late);
    time.block_on(cache.invalidate(&1));
    source.gate.open();
    assert_eq!(line(&time.block_on(leader).unwrap()), "loaded absent false");
    assert_eq!(line(&time.block_on(early).unwrap()), "joined");
    assert_eq!(line(&time.block_on(late).unwrap()), "loaded refused true");
    assert_eq!(source.calls(), 2);
}

#[test]
fn absence_that_a_function_cannot_say_is_loaded_over() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    time.block_on(cache.put(&1, None::<u64>));
    assert_eq!(fetched(&time, &cache, &source), "loaded absence-held true");
    assert_eq!(fetched(&time, &cache, &source), "near");
}

#[test]
fn absence_that_the_joined_load_found_is_loaded_over_too() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    let nothing = cache.fetch(&1, || async { None::<u64> });
    let (nothing, number) = time.block_on(zip(nothing, source.fetch(&cache, 1)));
    assert_eq!(nothing.unwrap().value, None);
    let number = number.unwrap();
    assert_eq!(line(&number), "loaded absence-held true");
    assert_eq!(number.value, 1);
}

#[test]
fn a_call_that_fails_says_how_to_those_who_observe() {
    let time = Virtual::auto();
    let cache = numbers(&time)
        .deadline(SECOND)
        .max_loads(1)
        .build()
        .unwrap();
    let failed = |call: Call| {
        let (answer, seen) = time.block_on(observe(call));
        let kind = answer.unwrap_err().kind();
        let [only] = &seen[..] else {
            panic!("{seen:?}");
        };
        let Outcome::Failed { kind: seen, .. } = *only.outcome() else {
            panic!("{only:?}");
        };
        assert_eq!(seen, kind);
        // A load that timed out gives its permit back when its task comes to it.
        time.run_until_idle();
        kind
    };
    let held = Source::held();
    assert_eq!(failed(call(&cache, 1, async { Err(Error) })), Kind::Source);
    assert_eq!(
        failed(call(&cache, 1, async { panic!("no") })),
        Kind::Panicked
    );
    assert_eq!(failed(call(&cache, 1, pending())), Kind::TimedOut);
    let again = cache.clone();
    let again = async move { call(&again, 1, pending()).await.map_err(|_| Error) };
    assert_eq!(failed(call(&cache, 1, again)), Kind::Source);
    let mut running = Box::pin(held.fetch(&cache, 2));
    begin(&time, &mut running);
    assert_eq!(failed(call(&cache, 1, pending())), Kind::Refused);
    assert_eq!(cache.stats().failed, 5 + 1);
}

type Call = Pin<Box<dyn Future<Output = Result<u64, LoadError>> + Send>>;

fn call(
    cache: &Numbers,
    key: u64,
    body: impl Future<Output = Result<u64, Error>> + Send + 'static,
) -> Call {
    let cache = cache.clone();
    Box::pin(async move { cache.get_or_load(&key, move || body).await })
}
