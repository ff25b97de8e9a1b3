//! Streams that meet other calls.

use larder_core::LoadErrorKind;
use larder_kit::{Gate, Virtual};

use super::source::{Tap, all, held, lists, ready, some};

#[test]
fn sp47_l1_one_source_runs_for_all_who_call() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let mut calls: Vec<_> = (0..3).map(|_| tap.call(&cache)).collect();
    for items in &mut calls {
        assert_eq!(ready(&time, items), []);
    }
    tap.give([1, 2]);
    for items in &mut calls {
        assert_eq!(ready(&time, items), some([1, 2]));
    }
    assert_eq!((tap.calls(), cache.stats().running), (1, 1));
    tap.end();
    for items in &mut calls {
        assert_eq!(ready(&time, items), [None]);
    }
    let stats = cache.stats();
    assert_eq!((stats.loaded, stats.joined, stats.running), (1, 2, 0));
}

#[test]
fn m2_who_comes_late_is_given_the_start_and_follows_live() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let mut first = tap.call(&cache);
    tap.give(0..3);
    assert_eq!(ready(&time, &mut first), some(0..3));
    let mut late = tap.call(&cache);
    assert_eq!(ready(&time, &mut late), some(0..3));
    tap.give(3..5);
    assert_eq!(ready(&time, &mut late), some(3..5));
    assert_eq!(ready(&time, &mut first), some(3..5));
    let last = tap.call(&cache);
    tap.end();
    time.run_until_idle();
    assert_eq!(ready(&time, &mut first), [None]);
    assert_eq!(ready(&time, &mut late), [None]);
    assert_eq!(all(&time, last).len(), 5);
    assert_eq!(tap.calls(), 1);
}

#[test]
fn m2_one_who_does_not_read_holds_nobody_up() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let (mut slow, mut quick) = (tap.call(&cache), tap.call(&cache));
    assert_eq!(ready(&time, &mut slow), []);
    tap.give(0..1_000);
    assert_eq!(ready(&time, &mut quick), some(0..1_000));
    tap.end();
    assert_eq!(ready(&time, &mut quick), [None]);
    assert_eq!(held(&time, &cache).map(|held| held.len()), Some(1_000));
    assert_eq!(all(&time, slow).len(), 1_000);
}

#[test]
fn l1_a_load_of_the_whole_value_joins_a_stream_and_a_stream_such_a_load() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let mut items = tap.call(&cache);
    tap.give([1]);
    assert_eq!(ready(&time, &mut items), some([1]));
    let there = cache.clone();
    let whole = time.spawn(async move { there.get_or_load(&1, || async { vec![0] }).await });
    time.run_until_idle();
    assert!(!whole.is_finished());
    tap.give([2]);
    tap.end();
    assert_eq!(time.block_on(whole).unwrap(), [1, 2]);
    time.block_on(cache.clear());

    let (gate, there) = (Gate::closed(), cache.clone());
    let wait = gate.clone();
    let load = move || async move {
        wait.wait().await;
        vec![7, 8]
    };
    let whole = time.spawn(async move { there.get_or_load(&1, load).await });
    time.run_until_idle();
    let unused = Tap::of([9]);
    let mut items = unused.call(&cache);
    assert_eq!(ready(&time, &mut items), []);
    gate.open();
    assert_eq!(all(&time, items), [Ok(7), Ok(8)]);
    assert_eq!(
        (time.block_on(whole).unwrap(), unused.calls()),
        (vec![7, 8], 0)
    );
    let stats = cache.stats();
    assert_eq!((stats.joined, stats.loaded, stats.running), (2, 2, 0));
}

#[test]
fn a_whole_load_that_joins_a_stream_which_fails_gets_its_error() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let mut items = tap.call(&cache);
    tap.give([1]);
    assert_eq!(ready(&time, &mut items), some([1]));
    let there = cache.clone();
    let whole = time.spawn(async move { there.get_or_load(&1, || async { vec![0] }).await });
    time.run_until_idle();
    tap.fail();
    let error = time.block_on(whole).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Source);
    assert_eq!(error.downcast_ref(), Some(&"no line"));
}

#[test]
fn l5_a_source_that_follows_itself_is_told_so() {
    let time = Virtual::new();
    let cache = lists(&time).build().unwrap();
    let (again, unused) = (cache.clone(), Tap::new());
    let inner = unused.clone();
    let source = move || {
        let items = again.get_or_stream(&1, move || inner.start());
        futures_lite::StreamExt::map(items, |item| item.map_err(|error| error.to_string()))
    };
    let items = cache.get_or_stream(&1, source);
    let items = Box::pin(futures_lite::StreamExt::map(items, super::source::plain));
    assert_eq!(all(&time, items), [Err(LoadErrorKind::Source)]);
    assert_eq!((unused.calls(), cache.stats().running), (0, 0));
}
