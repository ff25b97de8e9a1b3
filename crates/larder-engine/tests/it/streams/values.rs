//! What streams give, and what is kept of them.

use futures_lite::{StreamExt, stream};
use larder_core::LoadErrorKind;
use larder_engine::{Cache, Outcome, Series, Stats};
use larder_kit::Virtual;

use super::source::{Tap, all, held, lists, ready, some};
use crate::support::{SECOND, larder};

const THREE: [Result<u64, LoadErrorKind>; 3] = [Ok(1), Ok(2), Ok(3)];

#[test]
fn cfx1_cfx2_a_miss_keeps_all_elements_and_a_hit_gives_them_without_the_source() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::of(1..=3));
    assert_eq!(all(&time, tap.call(&cache)), THREE);
    time.run_until_idle();
    assert_eq!(held(&time, &cache), Some(vec![1, 2, 3]));
    let untouched = Tap::of([9]);
    for _ in 0..3 {
        assert_eq!(all(&time, untouched.call(&cache)), THREE);
    }
    assert_eq!(
        (tap.calls(), untouched.calls(), untouched.untaken()),
        (1, 0, 1)
    );
}

#[test]
fn cfx3_values_then_an_error_are_given_to_all_who_follow_and_not_kept() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let mut first = tap.call(&cache);
    tap.give([1, 2]);
    assert_eq!(ready(&time, &mut first), some([1, 2]));
    let mut late = tap.call(&cache);
    let begun = time.block_on(late.next());
    assert_eq!(begun, Some(Ok(1)));
    tap.fail();
    tap.give([3]);
    let failed = Some(Err(LoadErrorKind::Source));
    assert_eq!(ready(&time, &mut first), [failed, None]);
    assert_eq!(ready(&time, &mut late), [Some(Ok(2)), failed, None]);
    assert_eq!((held(&time, &cache), tap.running()), (None, 0));
    assert_eq!(all(&time, Tap::of(1..=3).call(&cache)), THREE);
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn cfx4_an_empty_stream_is_kept_and_given_as_empty() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::of([]));
    for _ in 0..4 {
        assert_eq!(all(&time, tap.call(&cache)), []);
        time.run_until_idle();
    }
    assert_eq!((tap.calls(), held(&time, &cache)), (1, Some(vec![])));
}

#[test]
fn cfx5_nothing_happens_before_the_first_poll_and_calls_can_be_made_again() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::of(1..=3));
    let (first, second) = (tap.call(&cache), tap.call(&cache));
    drop(tap.call(&cache));
    assert_eq!((tap.calls(), cache.stats()), (0, Stats::default()));
    assert_eq!(all(&time, first), THREE);
    time.run_until_idle();
    assert_eq!(all(&time, second), THREE);
    let stats = cache.stats();
    assert_eq!((tap.calls(), stats.loaded, stats.near), (1, 1, 1));
}

/// Keeps the last element alone.
struct Last(Option<u64>);

impl Series for Last {
    type Item = u64;

    fn of(items: Vec<u64>) -> Self {
        Self(items.last().copied())
    }

    fn item(&self, at: usize) -> Option<u64> {
        self.0.filter(|_| at == 0)
    }
}

#[test]
fn cfx6_a_type_of_the_users_own_keeps_what_it_likes() {
    let time = Virtual::new();
    let cache: Cache<u64, Last> = larder(&time).cache("last").build().unwrap();
    let call = || {
        let items = cache.get_or_stream(&1, || stream::iter([Ok::<_, &str>(1), Ok(2)]));
        let items: Vec<u64> = time.block_on(items.map(Result::unwrap).collect());
        time.run_until_idle();
        items
    };
    assert_eq!(call(), [1, 2], "who follows is given what comes");
    assert_eq!(call(), [2]);
}

#[test]
fn sp48_a_stream_and_a_single_result_share_an_entry() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::of(1..=3));
    all(&time, tap.call(&cache));
    time.run_until_idle();
    let load = cache.get_or_load(&1, || async { vec![0] });
    assert_eq!(time.block_on(load).unwrap(), [1, 2, 3]);
    time.block_on(cache.put(&1, vec![7, 8]));
    assert_eq!(all(&time, tap.call(&cache)), [Ok(7), Ok(8)]);
    assert_eq!(tap.calls(), 1);
}

#[test]
fn sp49_taking_one_then_three_then_all_gives_the_same_stream() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::of(0..10));
    let take = |count| -> Vec<u64> {
        let taken = tap.call(&cache).take(count).map(Result::unwrap);
        time.block_on(taken.collect())
    };
    assert_eq!(take(1), [0]);
    assert_eq!(take(3), [0, 1, 2]);
    assert_eq!(take(100), (0..10).collect::<Vec<_>>());
    time.run_until_idle();
    assert_eq!(
        (tap.calls(), held(&time, &cache)),
        (1, Some((0..10).collect()))
    );
}

#[test]
fn m2_the_first_element_is_not_held_back_for_the_last() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let mut items = tap.call(&cache);
    assert_eq!(ready(&time, &mut items), []);
    for item in 0..5 {
        tap.give([item]);
        assert_eq!(ready(&time, &mut items), some([item]));
        assert_eq!(held(&time, &cache), None, "it is kept when it is whole");
    }
    tap.end();
    assert_eq!(ready(&time, &mut items), [None]);
    assert_eq!(held(&time, &cache), Some((0..5).collect()));
}

#[test]
fn m2_nor_by_a_source_that_never_waits() {
    let time = Virtual::new();
    let cache = lists(&time).max_stream(100_000).build().unwrap();
    let tap = Tap::of(0..50_000);
    let mut items = tap.call(&cache);
    let first = time.block_on(items.next());
    assert_eq!(first, Some(Ok(0)));
    assert!(tap.untaken() > 49_900, "{} are left", tap.untaken());
}

#[test]
fn a_stream_expires_and_is_dropped_as_any_value() {
    let time = Virtual::new();
    let cache = lists(&time).ttl(SECOND).build().unwrap();
    all(&time, Tap::of([1]).call(&cache));
    time.advance(SECOND);
    assert_eq!(all(&time, Tap::of([2]).call(&cache)), [Ok(2)]);
    time.run_until_idle();
    time.block_on(cache.put(&1, None::<Vec<u64>>));
    let again = Tap::of([3]);
    assert_eq!(
        all(&time, again.call(&cache)),
        [Ok(3)],
        "absence is no stream"
    );
}

#[test]
fn the_outcome_is_known_with_the_first_element() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let source = tap.clone();
    let mut led = cache.get_or_stream(&1, move || source.start());
    let source = tap.clone();
    let mut joined = cache.get_or_stream(&1, move || source.start());
    assert_eq!(led.outcome(), None);
    tap.give([1]);
    time.block_on(led.next()).unwrap().unwrap();
    time.block_on(joined.next()).unwrap().unwrap();
    assert_eq!(led.outcome(), Some(Outcome::Streamed));
    assert_eq!(joined.outcome(), Some(Outcome::Joined));
    tap.end();
    time.run_until_idle();
    let mut near = cache.get_or_stream(&1, move || tap.start());
    time.block_on(near.next());
    assert!(matches!(near.outcome(), Some(Outcome::Near { .. })));
    let stats = cache.stats();
    assert_eq!((stats.loaded, stats.joined, stats.near), (1, 1, 1));
}
