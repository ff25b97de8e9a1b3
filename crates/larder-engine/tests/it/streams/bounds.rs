//! Streams with more elements than are kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_lite::{StreamExt, stream};
use larder_core::LoadErrorKind;
use larder_engine::Cache;
use larder_kit::Virtual;

use super::source::{Tap, all, held, lists, ready, some};
use crate::support::larder;

#[test]
fn m2_over_the_bound_a_stream_is_passed_through_and_not_kept() {
    let time = Virtual::new();
    let cache = lists(&time).max_stream(10).build().unwrap();
    let given = all(&time, Tap::of(0..100).call(&cache));
    assert_eq!(given, (0..100).map(Ok).collect::<Vec<_>>());
    time.run_until_idle();
    assert_eq!((held(&time, &cache), cache.stats().running), (None, 0));
    let exactly = Tap::of(0..10);
    assert_eq!(all(&time, exactly.call(&cache)).len(), 10);
    time.run_until_idle();
    assert_eq!(held(&time, &cache).map(|held| held.len()), Some(10));
}

/// Counts those of its kind that are there.
#[derive(Clone)]
struct Counted {
    there: Arc<AtomicUsize>,
}

impl Counted {
    fn new(there: &Arc<AtomicUsize>) -> Self {
        there.fetch_add(1, Ordering::SeqCst);
        let there = Arc::clone(there);
        Self { there }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.there.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn m2_memory_is_bounded_however_long_the_stream_and_however_slow_its_caller() {
    let time = Virtual::new();
    let cache: Cache<u64, Vec<Arc<Counted>>> = larder(&time)
        .cache("counted")
        .max_stream(10)
        .build()
        .unwrap();
    let there = Arc::new(AtomicUsize::new(0));
    let made = Arc::clone(&there);
    let source =
        move || stream::iter(0..10_000).map(move |_| Ok::<_, &str>(Arc::new(Counted::new(&made))));
    let mut items = cache.get_or_stream(&1, source);
    let mut given = 0;
    while let Some(item) = time.block_on(items.next()) {
        drop(item.unwrap());
        given += 1;
        if given % 100 == 0 {
            time.run_until_idle();
        }
        let there = there.load(Ordering::SeqCst);
        assert!(there <= 11, "{there} after {given}");
    }
    assert_eq!((given, there.load(Ordering::SeqCst)), (10_000, 0));
}

#[test]
fn over_the_bound_who_comes_late_starts_a_source_of_its_own() {
    let time = Virtual::new();
    let cache = lists(&time).max_stream(10).build().unwrap();
    let (tap, own) = (Tap::new(), Tap::of([7]));
    let mut items = tap.call(&cache);
    tap.give(0..10);
    assert_eq!(ready(&time, &mut items), some(0..10));
    let mut whole = tap.call(&cache);
    assert_eq!(ready(&time, &mut whole), some(0..10), "all of it is there");
    tap.give([10]);
    assert_eq!(ready(&time, &mut items), some([10]));
    assert_eq!(all(&time, own.call(&cache)), [Ok(7)]);
    assert_eq!((tap.calls(), own.calls()), (1, 1));
    assert_eq!(ready(&time, &mut whole), some([10]));
}

#[test]
fn over_the_bound_a_lone_slow_caller_is_waited_for() {
    let time = Virtual::new();
    let cache = lists(&time).max_stream(10).build().unwrap();
    let tap = Tap::new();
    let mut items = tap.call(&cache);
    assert_eq!(ready(&time, &mut items), []);
    tap.give(0..100);
    time.run_until_idle();
    // Ten are held, one waits for room.
    assert_eq!(tap.untaken(), 89);
    for at in 0..100 {
        let item = time.block_on(items.next());
        assert_eq!(item, Some(Ok(at)));
        time.run_until_idle();
        assert_eq!(tap.untaken() as u64, 88_u64.saturating_sub(at));
    }
}

#[test]
fn over_the_bound_one_who_is_all_of_it_behind_another_is_ended() {
    let time = Virtual::new();
    let cache = lists(&time).max_stream(10).build().unwrap();
    let tap = Tap::new();
    let (mut slow, mut quick) = (tap.call(&cache), tap.call(&cache));
    assert_eq!(ready(&time, &mut slow), []);
    tap.give([0]);
    assert_eq!(ready(&time, &mut slow), some([0]));
    tap.give(1..11);
    assert_eq!(ready(&time, &mut quick), some(0..11));
    let next = time.block_on(slow.next());
    assert_eq!(next, Some(Ok(1)), "it is not behind by all of it");
    tap.give(11..30);
    assert_eq!(ready(&time, &mut quick), some(11..30));
    assert_eq!(
        ready(&time, &mut slow),
        [Some(Err(LoadErrorKind::Refused)), None]
    );
    assert_eq!(tap.calls(), 1);
}

#[test]
fn over_the_bound_a_source_ends_with_the_last_who_reads_it() {
    let time = Virtual::new();
    let cache = lists(&time).max_stream(10).build().unwrap();
    for waits in [false, true] {
        let tap = Tap::new();
        let mut items = tap.call(&cache);
        tap.give(0..11);
        if waits {
            let first = time.block_on(items.next());
            assert_eq!(first, Some(Ok(0)));
        } else {
            assert_eq!(ready(&time, &mut items), some(0..11));
        }
        tap.give(11..50);
        time.run_until_idle();
        drop(items);
        tap.give([50]);
        time.run_until_idle();
        assert_eq!((tap.running(), cache.stats().running), (0, 0), "{waits}");
    }
}

#[test]
fn a_load_of_the_whole_value_that_joined_what_is_too_long_loads_for_itself() {
    let time = Virtual::new();
    let cache = lists(&time).max_stream(10).build().unwrap();
    let tap = Tap::new();
    let mut items = tap.call(&cache);
    tap.give([0]);
    assert_eq!(ready(&time, &mut items), some([0]));
    let there = cache.clone();
    let whole = time.spawn(async move { there.get_or_load(&1, || async { vec![7] }).await });
    time.run_until_idle();
    tap.give(1..20);
    tap.end();
    assert_eq!(ready(&time, &mut items).len(), 20);
    assert_eq!(time.block_on(whole).unwrap(), [7]);
}

#[test]
fn a_bound_of_nothing_is_refused() {
    let time = Virtual::new();
    let error = lists(&time).max_stream(0).build().unwrap_err();
    assert!(error.to_string().contains("max_stream"), "{error}");
}
