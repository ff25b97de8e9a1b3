//! The second level behind the first.

use std::time::Duration;

use larder_core::LoadErrorKind;
use larder_engine::{CacheBuilder, Change as Done, Got};
use larder_kit::{FarOperation, Fault};

use crate::far::rig::{Pair, Rig, TAG, try_fetch};
use crate::support::{SECOND, TTL};

#[test]
fn fc50_a_far_hit_fills_near() {
    for load in [true, false] {
        let pair = Pair::new();
        pair.fill_far();
        let value = if load {
            Some(pair.fetch())
        } else {
            pair.held()
        };
        assert_eq!(value, Some(1));
        let reads = pair.one.failing.calls(FarOperation::Read);
        assert_eq!((pair.fetch(), pair.held()), (1, Some(1)));
        assert_eq!(pair.one.failing.calls(FarOperation::Read), reads);
        assert_eq!(pair.source.calls(), 1);
    }
}

#[test]
fn fc51_near_ends_when_far_does() {
    for (old, held) in [(TTL - SECOND, Some(1)), (TTL, None)] {
        let pair = Pair::new();
        pair.fill_far();
        pair.time.advance(TTL - 2 * SECOND);
        assert_eq!(pair.held(), Some(1));
        pair.one.failing.die(Fault::NotSent);
        pair.time.advance(old - (TTL - 2 * SECOND));
        assert_eq!(pair.held(), held, "{old:?} after the load");
    }
}

#[test]
fn fc53_far_may_go_down_at_any_point_of_a_call() {
    for operation in [
        FarOperation::Read,
        FarOperation::StoreIf,
        FarOperation::Release,
    ] {
        for fault in [Fault::NotSent, Fault::Lost, Fault::Done, Fault::Late] {
            let pair = Pair::of(CacheBuilder::far_only);
            pair.one.failing.fail(operation, fault, usize::MAX);
            for _ in 0..10 {
                assert_eq!(pair.fetch(), 1, "{operation:?} {fault:?}");
            }
            pair.one.failing.heal();
            pair.time.advance(2 * SECOND);
            pair.fetch();
            let calls = pair.source.calls();
            assert_eq!(
                (pair.fetch(), pair.source.calls()),
                (1, calls),
                "{operation:?} {fault:?}"
            );
        }
    }
}

#[test]
fn fc54_removal_and_expire_while_a_store_is_in_flight() {
    for expire in [true, false] {
        for begun in [true, false] {
            let pair = Pair::new();
            let store = if begun {
                pair.one.slow.hold_after(FarOperation::StoreIf)
            } else {
                pair.one.slow.hold_before(FarOperation::StoreIf)
            };
            let early = pair.call();
            assert_eq!(store.waiting(), 1);
            let new = pair.source.change();
            let done = if expire {
                pair.time.block_on(pair.one.numbers.expire(&1))
            } else {
                pair.time.block_on(pair.one.numbers.invalidate(&1))
            };
            assert_eq!(done, Done::Done);
            store.open();
            assert_eq!(pair.time.block_on(early), 1);
            assert_eq!((pair.held(), pair.two.held(&pair.time)), (None, None));
            assert_eq!(pair.fetch(), new);
        }
    }
}

#[test]
fn fc55_errors_of_far_and_of_the_source_are_told_apart() {
    let pair = Pair::of(|cache| cache.far().raise_far_errors(true));
    pair.one.failing.fail(FarOperation::Read, Fault::Lost, 1);
    let far = pair
        .time
        .block_on(try_fetch(&pair.one.numbers, &pair.source));
    assert_eq!(far.unwrap_err().kind(), LoadErrorKind::Far);
    let fails = pair
        .one
        .numbers
        .get_or_load(&1, || async { Err::<u64, _>("down".to_owned()) });
    let source = pair.time.block_on(fails).unwrap_err();
    assert_eq!(
        (source.kind(), source.to_string().as_str()),
        (LoadErrorKind::Source, "down")
    );
    pair.one.failing.fail(FarOperation::StoreIf, Fault::Lost, 1);
    assert_eq!(
        pair.fetch(),
        1,
        "a value that is there is given, stored or not"
    );
    assert_eq!(pair.two.held(&pair.time), None);
}

#[test]
fn fc56_the_breaker_opens_and_closes() {
    let pair = Pair::of(CacheBuilder::far_only);
    let down = |pair: &Pair| pair.one.numbers.stats().far_tier.unwrap().down;
    pair.one.failing.die(Fault::NotSent);
    for failures in 1..=5 {
        assert!(!down(&pair), "before {failures}");
        pair.fetch();
    }
    assert!(down(&pair));
    pair.fetch();
    let calls = pair.one.failing.calls(FarOperation::Read);
    pair.fetch();
    assert_eq!(
        pair.one.failing.calls(FarOperation::Read),
        calls,
        "left alone"
    );
    pair.time.advance(SECOND);
    pair.fetch();
    assert!(down(&pair), "the trial has failed");
    assert_eq!(pair.one.failing.calls(FarOperation::Read), calls + 1);
    pair.one.failing.heal();
    pair.time.advance(SECOND);
    pair.fetch();
    assert!(!down(&pair));
}

/// A change is awaited, for only then does it hold; a caller need not wait for it to happen.
#[test]
fn fc58_a_change_goes_on_behind_a_caller_that_does_not_wait() {
    let pair = Pair::new();
    pair.fill_far();
    let starts = pair.one.slow.hold_before(FarOperation::DropBarrier);
    let numbers = pair.one.numbers.clone();
    let change = pair
        .time
        .spawn(async move { numbers.invalidate_tag(TAG).await });
    pair.time.run_until_idle();
    change.cancel();
    assert_eq!(starts.waiting(), 1);
    starts.open();
    pair.time.run_until_idle();
    assert_eq!(pair.two.held(&pair.time), None);
}

#[test]
fn fc60_builds_with_different_shapes_share_a_name() {
    let pair = Pair::new();
    pair.fill_far();
    let numbered: fn(CacheBuilder<u64, u64>) -> _ = |cache| cache.far().schema(9);
    let other = Rig::with(&pair.time, &pair.shelf, |larder| larder, numbered);
    assert_eq!(other.held(&pair.time), None);
    let new = pair.source.change();
    assert_eq!(other.fetch(&pair.time, &pair.source), new);
    assert_eq!(pair.held(), Some(1), "of its own shape");
}

#[test]
fn fc61_what_is_over_the_limit_is_given_and_not_stored_far() {
    let pair = Pair::of(|cache| cache.far().max_frame(8));
    assert_eq!(pair.fetch(), 1);
    assert_eq!(pair.one.numbers.stats().far_tier.unwrap().unfit, 1);
    assert_eq!(pair.two.held(&pair.time), None);
    assert_eq!(pair.held(), Some(1), "near has no frames");
    let done = pair.time.block_on(pair.one.numbers.put(&1, 7));
    assert_eq!(done, Done::Done);
    assert_eq!(pair.held(), Some(7));
    assert_eq!(pair.time.block_on(pair.two.numbers.get(&1)), Got::Unknown);
}

#[test]
fn fc57_a_far_tier_that_hangs_is_waited_for_no_longer_than_its_deadline() {
    let pair = Pair::of(|cache| cache.far().far_deadline(Duration::from_millis(40)));
    let _hangs = pair.one.slow.hold_before(FarOperation::Read);
    let call = pair.call();
    pair.time.advance(Duration::from_millis(39));
    assert!(!call.is_finished());
    pair.time.advance(Duration::from_millis(1));
    assert!(call.is_finished());
}
