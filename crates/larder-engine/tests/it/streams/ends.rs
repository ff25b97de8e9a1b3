//! How streams end other than well.

use std::fmt::Display;
use std::time::Duration;

use futures_lite::{Stream, StreamExt, stream};
use larder_core::LoadErrorKind;
use larder_engine::{Cache, Mode};
use larder_kit::Virtual;

use super::source::{Item, Lists, Tap, all, held, lists, plain, ready, some};
use crate::support::SECOND;

const MILLI: Duration = Duration::from_millis(1);

fn given<S, E>(
    time: &Virtual,
    cache: &Lists,
    source: impl FnOnce() -> S + Send + 'static,
) -> Vec<Item>
where
    S: Stream<Item = Result<u64, E>> + Send + 'static,
    E: Display + Send + Sync + 'static,
{
    let items = cache.get_or_stream(&1, source);
    all(time, Box::pin(items.map(plain)))
}

#[test]
fn l4_a_source_that_panics_ends_the_stream_and_the_key_goes_on() {
    let time = Virtual::new();
    let cache = lists(&time).build().unwrap();
    let panicked = Err(LoadErrorKind::Panicked);
    let early = given(&time, &cache, || -> stream::Empty<Result<u64, &str>> {
        panic!("on purpose")
    });
    assert_eq!(early, [panicked]);
    let late = given(&time, &cache, || {
        stream::iter(0..5).map(|item| {
            assert!(item < 2, "on purpose");
            Ok::<_, &str>(item)
        })
    });
    assert_eq!(late, [Ok(0), Ok(1), panicked]);
    assert_eq!(all(&time, Tap::of([7]).call(&cache)), [Ok(7)]);
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn an_error_before_the_first_element_is_the_only_thing_given() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let (mut led, mut joined) = (tap.call(&cache), tap.call(&cache));
    assert_eq!(ready(&time, &mut led), []);
    assert_eq!(ready(&time, &mut joined), []);
    tap.fail();
    let failed = [Some(Err(LoadErrorKind::Source)), None];
    assert_eq!(ready(&time, &mut led), failed);
    assert_eq!(ready(&time, &mut joined), failed);
    let stats = cache.stats();
    assert_eq!((stats.failed, stats.loaded, stats.entries), (2, 0, 0));
}

#[test]
fn l3_the_deadline_is_that_of_the_whole_run() {
    let time = Virtual::new();
    let cache = lists(&time).deadline(SECOND * 3).build().unwrap();
    let tap = Tap::new();
    let mut items = tap.call(&cache);
    for item in 0..3 {
        tap.give([item]);
        assert_eq!(ready(&time, &mut items), some([item]));
        time.advance(SECOND);
    }
    time.advance(SECOND);
    assert_eq!(
        ready(&time, &mut items),
        [Some(Err(LoadErrorKind::TimedOut)), None]
    );
    assert_eq!((tap.running(), cache.stats().running), (0, 0));
    assert_eq!(held(&time, &cache), None);
    assert_eq!(
        all(&time, Tap::of([7]).call(&cache)),
        [Ok(7)],
        "the key is free"
    );
}

#[test]
fn l3_a_source_over_the_bound_of_loads_is_refused_and_followers_are_not() {
    let time = Virtual::new();
    let cache = lists(&time).max_loads(1).build().unwrap();
    let tap = Tap::new();
    let mut first = tap.call(&cache);
    tap.give([1]);
    assert_eq!(ready(&time, &mut first), some([1]));
    let other = cache.get_or_stream(&2, || stream::iter([Ok::<_, &str>(2)]));
    let other = all(&time, Box::pin(other.map(plain)));
    assert_eq!(other, [Err(LoadErrorKind::Refused)]);
    let mut follower = tap.call(&cache);
    assert_eq!(ready(&time, &mut follower), some([1]));
}

#[test]
fn a_runtime_that_ends_takes_the_sources_along() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let mut items = tap.call(&cache);
    tap.give([1]);
    assert_eq!(ready(&time, &mut items), some([1]));
    time.drop_tasks();
    assert_eq!(
        ready(&time, &mut items),
        [Some(Err(LoadErrorKind::Refused)), None]
    );
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn a_stream_of_a_cache_that_is_off_is_the_source_itself() {
    let time = Virtual::new();
    let cache: Cache<u64, Vec<u64>> = lists(&time).mode(Mode::Off).build().unwrap();
    let tap = Tap::new();
    let (mut one, mut two) = (tap.call(&cache), tap.call(&cache));
    tap.give([1]);
    assert_eq!(ready(&time, &mut one), some([1]));
    assert_eq!(ready(&time, &mut two), []);
    tap.fail();
    assert_eq!(
        ready(&time, &mut two),
        [Some(Err(LoadErrorKind::Source)), None]
    );
    drop(one);
    assert_eq!((tap.calls(), tap.running()), (2, 0));
    let stats = cache.stats();
    assert_eq!((stats.bypassed, stats.failed, stats.running), (1, 1, 0));
}

/// More than one element at once, and never a pause between them. Found by the simulator (profile
/// `uniform`, seed 6): the source waited for its reader, and the reader for the source.
#[test]
fn m2_a_source_past_the_cache_gives_all_that_it_has_at_once() {
    let time = Virtual::new();
    let cache = lists(&time).mode(Mode::Off).build().unwrap();
    for count in [0, 1, 2, 3, 40, 100] {
        let given = all(&time, Tap::of(0..count).call(&cache));
        assert_eq!(given, (0..count).map(Ok).collect::<Vec<_>>());
        let tap = Tap::new();
        tap.give(0..count);
        tap.fail();
        let given = all(&time, tap.call(&cache));
        let expected = (0..count).map(Ok).chain([Err(LoadErrorKind::Source)]);
        assert_eq!(given, expected.collect::<Vec<_>>());
    }
}

#[test]
fn l3_l4_a_source_past_the_cache_that_hangs_or_panics_is_an_error() {
    let time = Virtual::new();
    let cache = lists(&time).deadline(SECOND).mode(Mode::Off);
    let cache = cache.build().unwrap();
    for count in [0, 1, 2] {
        let hung = Tap::new();
        hung.give(0..count);
        let call = time.spawn(hung.call(&cache).collect::<Vec<_>>());
        time.advance(SECOND - MILLI);
        assert!(!call.is_finished(), "it is waited for");
        time.advance(MILLI);
        let given = time.block_on(call);
        assert_eq!(given.last(), Some(&Err(LoadErrorKind::TimedOut)));
        assert_eq!((given.len() as u64, hung.running()), (count + 1, 0));
        let panics = Tap::new();
        panics.give(0..count);
        panics.panic();
        let given = all(&time, panics.call(&cache));
        assert_eq!(given.last(), Some(&Err(LoadErrorKind::Panicked)));
        assert_eq!(given.len() as u64, count + 1);
    }
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn a_read_only_cache_keeps_no_stream_and_a_write_only_one_gives_none_that_is_held() {
    let time = Virtual::new();
    let cache = lists(&time).mode(Mode::ReadOnly).build().unwrap();
    assert_eq!(all(&time, Tap::of([1]).call(&cache)), [Ok(1)]);
    time.run_until_idle();
    assert_eq!(cache.stats().entries, 0);
    cache.switch(Mode::WriteOnly);
    let running = Tap::new();
    let mut early = running.call(&cache);
    assert_eq!(ready(&time, &mut early), []);
    assert_eq!(all(&time, Tap::of([2]).call(&cache)), [Ok(2)]);
    time.run_until_idle();
    assert_eq!(all(&time, Tap::of([3]).call(&cache)), [Ok(3)]);
    time.run_until_idle();
    cache.switch(Mode::On);
    assert_eq!(held(&time, &cache), Some(vec![3]));
}

/// Sources that nobody looked for run side by side: who has waited for one of them may find another
/// that is as old. Found by the simulator (profile `switches`, seed 23326).
#[test]
fn a_write_only_load_takes_no_stream_that_began_before_it_however_many_run() {
    for order in [[0, 1], [1, 0]] {
        let time = Virtual::new();
        let (cache, taps) = (lists(&time).build().unwrap(), [Tap::new(), Tap::new()]);
        let mut first = taps[0].call(&cache);
        assert_eq!(ready(&time, &mut first), []);
        cache.switch(Mode::WriteOnly);
        let mut second = taps[1].call(&cache);
        assert_eq!(ready(&time, &mut second), []);
        time.advance(SECOND);
        let (one, many) = (cache.clone(), cache.clone());
        let one = time.spawn(async move { one.get_or_load(&1, || async { vec![9] }).await });
        let load = |keys: Vec<u64>| async move { keys.into_iter().map(|key| (key, vec![9])) };
        let many = time.spawn(async move { many.get_or_load_many(&[1], load).await });
        time.run_until_idle();
        for at in order {
            assert!(!one.is_finished() && !many.is_finished());
            taps[at].give([1]);
            taps[at].end();
            time.run_until_idle();
        }
        assert_eq!(time.block_on(one).unwrap(), [9], "{order:?}");
        let many = time.block_on(many).remove(0).unwrap();
        assert_eq!(many.as_deref(), Some(&vec![9]), "{order:?}");
    }
}

#[test]
fn t4_what_is_past_its_time_is_given_if_the_source_fails_before_its_first_element() {
    let time = Virtual::new();
    let cache = lists(&time).ttl(SECOND).stale(SECOND * 60).throttle(SECOND);
    let cache = cache.build().unwrap();
    assert_eq!(all(&time, Tap::of([1, 2]).call(&cache)), [Ok(1), Ok(2)]);
    time.advance(SECOND * 2);
    let early = Tap::new();
    early.fail();
    assert_eq!(all(&time, early.call(&cache)), [Ok(1), Ok(2)]);
    let paused = Tap::of([7]);
    assert_eq!(all(&time, paused.call(&cache)), [Ok(1), Ok(2)]);
    assert_eq!(
        (early.calls(), paused.calls()),
        (1, 0),
        "the source is left alone"
    );
    time.advance(SECOND * 2);
    let late = Tap::new();
    late.give([9]);
    late.fail();
    let given = all(&time, late.call(&cache));
    assert_eq!(given, [Ok(9), Err(LoadErrorKind::Source)]);
    time.advance(SECOND * 2);
    assert_eq!(all(&time, Tap::of([3]).call(&cache)), [Ok(3)]);
}
