//! A far tier that is slow, gone or failing: callers get what a load or the near tier has, within
//! one deadline, and what could not be told is told when it is back.

use std::time::Duration;

use larder_core::LoadErrorKind;
use larder_engine::{CacheBuilder, Change as Done, Got, Outcome, Why};
use larder_kit::{FarOperation, Fault, Virtual};

use super::rig::{Rig, try_fetch};
use super::support::{beat, shelf};
use crate::support::{SECOND, Source};

/// What one operation may wait for the far tier, all its trips together.
pub(super) const DEADLINE: Duration = Duration::from_millis(250);

pub(super) const FAULTS: [Fault; 4] = [Fault::NotSent, Fault::Lost, Fault::Done, Fault::Late];

/// A rig on a runtime whose time goes on by itself.
pub(super) fn alone(build: fn(CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64>) -> (Virtual, Rig) {
    let time = Virtual::auto();
    let shelf = shelf(&time);
    let rig = Rig::with(&time, &shelf, |larder| larder, build);
    beat(&time);
    (time, rig)
}

pub(super) fn took<T>(time: &Virtual, what: impl FnOnce() -> T) -> (T, Duration) {
    let began = time.now();
    let done = what();
    (done, time.now().since(began))
}

#[test]
fn f1_whatever_fails_a_call_is_answered_by_its_load() {
    for operation in FarOperation::ALL {
        for fault in FAULTS {
            let (time, rig) = alone(CacheBuilder::far);
            rig.failing.fail(operation, fault, usize::MAX);
            let source = Source::ready();
            for _ in 0..20 {
                source.change();
                let _ = time.block_on(rig.numbers.invalidate(&1));
                let (value, wait) = took(&time, || rig.fetch(&time, &source));
                assert_eq!(value, source.change() - 1, "{operation:?} {fault:?}");
                assert!(
                    wait.is_zero(),
                    "{operation:?} {fault:?}: a failure is no wait"
                );
            }
        }
    }
}

#[test]
fn f1_a_far_tier_that_hangs_costs_a_call_one_deadline() {
    for operation in [FarOperation::Read, FarOperation::StoreIf] {
        let (time, rig) = alone(CacheBuilder::far);
        let _gate = rig.slow.hold_before(operation);
        let source = Source::ready();
        let (value, wait) = took(&time, || rig.fetch(&time, &source));
        assert_eq!((value, wait), (1, DEADLINE), "{operation:?}");
        let (value, wait) = took(&time, || rig.fetch(&time, &source));
        assert_eq!(
            (value, wait),
            (1, Duration::ZERO),
            "{operation:?}: near has it"
        );
        assert_eq!(source.calls(), 1);
    }
}

#[test]
fn f1_the_breaker_stops_waiting_and_closes_by_itself() {
    let (time, rig) = alone(CacheBuilder::far_only);
    let gate = rig.slow.hold_before(FarOperation::Read);
    let source = Source::ready();
    for _ in 0..5 {
        let (_, wait) = took(&time, || rig.fetch(&time, &source));
        assert_eq!(wait, DEADLINE);
    }
    let far = rig.numbers.stats().far_tier.unwrap();
    assert_eq!((far.failures, far.down), (5, true));
    for _ in 0..20 {
        let (_, wait) = took(&time, || rig.fetch(&time, &source));
        assert!(wait.is_zero(), "nobody waits for what is known to be down");
    }
    let reads = rig.failing.calls(FarOperation::Read);
    assert_eq!(rig.numbers.stats().far_tier.unwrap().failures, 5);
    gate.open();
    rig.slow.hurry();
    rig.fetch(&time, &source);
    assert_eq!(
        rig.failing.calls(FarOperation::Read),
        reads,
        "not before the second is over"
    );
    time.advance(SECOND);
    rig.fetch(&time, &source);
    let far = rig.numbers.stats().far_tier.unwrap();
    assert_eq!((far.failures, far.down), (5, false));
    let calls = source.calls();
    rig.fetch(&time, &source);
    assert_eq!(source.calls(), calls, "far is used again");
}

#[test]
fn f1_while_the_breaker_is_open_one_call_a_second_waits() {
    let (time, rig) = alone(CacheBuilder::far_only);
    let _gate = rig.slow.hold_before(FarOperation::Read);
    let source = Source::ready();
    for _ in 0..5 {
        rig.fetch(&time, &source);
    }
    time.advance(SECOND);
    let calls: Vec<_> = (1..=10)
        .map(|key| time.spawn(source.fetch(&rig.numbers, key)))
        .collect();
    time.run_until_idle();
    let waiting = calls.iter().filter(|call| !call.is_finished()).count();
    assert_eq!(waiting, 1);
    time.advance(DEADLINE);
    assert!(calls.iter().all(larder_kit::Spawned::is_finished));
}

#[test]
fn f1_a_part_of_the_store_that_is_gone_costs_the_rest_nothing() {
    let (time, rig) = alone(CacheBuilder::far_only);
    let source = Source::ready();
    rig.fetch(&time, &source);
    let fails = |in_part, times| {
        rig.failing.in_part(in_part);
        rig.failing.fail(FarOperation::Read, Fault::NotSent, times);
        for _ in 0..times {
            rig.fetch(&time, &source);
        }
    };
    fails(true, 20);
    let calls = source.calls();
    rig.fetch(&time, &source);
    assert_eq!(source.calls(), calls, "the far tier has it, and was asked");
    let down = || rig.numbers.stats().far_tier.unwrap().down;
    fails(false, 5);
    assert!(down());
    time.advance(SECOND);
    fails(true, 1);
    assert!(!down(), "the trial has met what serves");
}

#[test]
fn f1_far_errors_are_raised_where_that_is_asked_for() {
    let (time, rig) = alone(|cache| cache.far().raise_far_errors(true));
    rig.failing.fail(FarOperation::Read, Fault::Lost, 1);
    let source = Source::ready();
    let error = time.block_on(try_fetch(&rig.numbers, &source)).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Far);
    assert_eq!(source.calls(), 0);
    assert_eq!(rig.fetch(&time, &source), 1, "the next call is served");
    rig.failing.die(Fault::NotSent);
    assert_eq!(rig.fetch(&time, &source), 1, "and near asks nobody");
}

#[test]
fn f1_all_who_wait_get_the_far_error_once() {
    let (time, rig) = alone(|cache| cache.far().raise_far_errors(true));
    let gate = rig.slow.hold_before(FarOperation::Read);
    let source = Source::ready();
    let calls: Vec<_> = (0..20)
        .map(|_| time.spawn(try_fetch(&rig.numbers, &source)))
        .collect();
    time.run_until_idle();
    assert_eq!(gate.waiting(), 1);
    time.advance(DEADLINE);
    for call in calls {
        let error = time.block_on(call).unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Far);
    }
    assert_eq!(rig.numbers.stats().far_tier.unwrap().failures, 1);
}

#[test]
fn f1_why_says_that_far_was_down() {
    let (time, rig) = alone(CacheBuilder::far);
    rig.failing.die(Fault::NotSent);
    let source = Source::ready();
    let fetched = time.block_on(source.fetch(&rig.numbers, 1)).unwrap();
    assert!(matches!(
        fetched.outcome,
        Outcome::Loaded {
            why: Why::FarDown,
            ..
        }
    ));
}

#[test]
fn f1_it_starts_with_a_dead_store_and_comes_to_use_it() {
    let time = Virtual::auto();
    let shelf = shelf(&time);
    let dead = Rig::over(&time, &shelf);
    dead.failing.die(Fault::NotSent);
    dead.bus.cut();
    let source = Source::ready();
    let new = source.change();
    assert_eq!(dead.fetch(&time, &source), new);
    assert_eq!(time.block_on(dead.numbers.put(&2, 7)), Done::Queued);
    assert_eq!(time.block_on(dead.numbers.get(&2)), Got::Value(7.into()));
    assert_eq!(time.block_on(dead.numbers.clear()), Done::Queued);
    assert_eq!(time.block_on(dead.numbers.get(&2)), Got::Unknown);
    dead.failing.heal();
    dead.bus.mend();
    time.advance(5 * SECOND);
    assert_eq!(dead.numbers.stats().far_tier.unwrap().pending, 0);
    dead.fetch(&time, &source);
    let other = Rig::over(&time, &shelf);
    assert_eq!(other.held(&time), Some(new));
}

#[test]
fn f1_near_goes_on_while_far_is_dead_and_blindness_ends_it() {
    let (time, rig) = alone(CacheBuilder::far);
    let source = Source::ready();
    rig.fetch(&time, &source);
    rig.failing.die(Fault::Lost);
    rig.bus.cut();
    let near = |rig: &Rig| {
        let before = rig.numbers.stats().near;
        rig.fetch(&time, &source);
        rig.numbers.stats().near - before
    };
    assert_eq!(near(&rig), 1);
    time.advance(6 * SECOND);
    assert_eq!(near(&rig), 0, "nobody tells this node any more");
    assert_eq!(near(&rig), 1, "but what it loads itself it uses");
}

#[test]
fn f1_nothing_is_left_running() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let rig = Rig::over(&time, &shelf);
    beat(&time);
    let (tasks, sleepers) = (time.tasks(), time.sleepers());
    let gate = rig.slow.hold_before(FarOperation::Read);
    let source = Source::ready();
    let calls: Vec<_> = (1..=9)
        .map(|key| time.spawn(source.fetch(&rig.numbers, key)))
        .collect();
    rig.failing.die(Fault::Lost);
    let change = rig.numbers.clone();
    let change = time.spawn(async move { change.clear().await });
    time.advance(SECOND);
    drop((calls, change, gate));
    rig.slow.hurry();
    rig.failing.heal();
    time.advance(10 * SECOND);
    assert_eq!((time.tasks(), time.sleepers()), (tasks, sleepers));
    drop(rig);
    time.advance(120 * SECOND);
    assert_eq!(
        (time.tasks(), time.sleepers()),
        (0, 0),
        "and nothing at all after the cache"
    );
}

#[test]
fn f1_a_far_tier_that_hangs_leaves_half_of_the_loads_time_to_the_source() {
    let (time, rig) = alone(|cache| cache.far().deadline(Duration::from_millis(100)));
    let _gate = rig.slow.hold_before(FarOperation::Read);
    let source = Source::ready();
    let (answer, wait) = took(&time, || time.block_on(try_fetch(&rig.numbers, &source)));
    assert_eq!(answer.unwrap(), 1);
    assert_eq!(wait, Duration::from_millis(50));
}

/// The value is there, and its deadline is near: what hangs then is the store of it.
#[test]
fn f1_a_far_tier_that_hangs_at_the_store_keeps_no_loaded_value_from_its_caller() {
    let (time, rig) = alone(|cache| cache.far().deadline(Duration::from_millis(100)));
    let _gate = rig.slow.hold_before(FarOperation::StoreIf);
    let source = Source::ready();
    let (answer, wait) = took(&time, || time.block_on(try_fetch(&rig.numbers, &source)));
    assert_eq!(answer.unwrap(), 1);
    assert_eq!(wait, Duration::from_millis(50));
    assert!(time.block_on(rig.numbers.get(&1)).value().is_some(), "near");
}
