//! Several keys over a far tier: one trip for all of them.

mod early;

use larder_core::LoadErrorKind;
use larder_engine::{CacheBuilder, Change as Done, Got};
use larder_kit::{FarOperation, Fault};

use super::faults::{DEADLINE, FAULTS, alone, took};
use super::rig::{Pair, Rig};
use crate::many::source::{Many, held};
use crate::support::{SECOND, begin};

const KEYS: [u64; 4] = [1, 2, 3, 900];

fn fetched(version: u64) -> [Result<Option<u64>, LoadErrorKind>; 4] {
    let value = |key: u64| Ok(Some(key * 1000 + version));
    [value(1), value(2), value(3), Ok(None)]
}

#[test]
fn m1_a_batch_reads_the_far_tier_once_and_asks_the_source_for_the_rest() {
    let pair = Pair::of(CacheBuilder::far);
    let source = Many::ready();
    let (one, two) = (&pair.one, &pair.two);
    pair.time.block_on(source.fetch(&two.numbers, &[2, 900]));
    let before = one.failing.calls(FarOperation::Read);
    let found = pair.time.block_on(source.fetch(&one.numbers, &KEYS));
    assert_eq!(found, fetched(0));
    assert_eq!(one.failing.calls(FarOperation::Read) - before, 1);
    assert_eq!(one.failing.calls(FarOperation::StoreIf), 2);
    assert_eq!(source.calls(), [vec![2, 900], vec![1, 3]]);
    let stats = one.numbers.stats();
    assert_eq!((stats.far, stats.loaded), (2, 2));
    let found = pair.time.block_on(source.fetch(&two.numbers, &KEYS));
    assert_eq!(
        (found.as_slice(), source.calls().len()),
        (&fetched(0)[..], 2)
    );
}

#[test]
fn m1_a_look_at_many_keys_is_one_trip_and_writes_nothing() {
    let pair = Pair::of(CacheBuilder::far);
    let source = Many::ready();
    pair.time
        .block_on(source.fetch(&pair.two.numbers, &[2, 900]));
    let one = &pair.one;
    let got = pair.time.block_on(one.numbers.get_many(&KEYS));
    assert!(matches!(
        got[..],
        [Got::Unknown, Got::Value(_), Got::Unknown, Got::KnownAbsent]
    ));
    assert_eq!(one.failing.calls(FarOperation::Read), 1);
    let stats = one.numbers.stats();
    assert_eq!((stats.far, stats.missed, stats.entries), (2, 2, 2));
    pair.time.block_on(one.numbers.get_many(&[2, 900]));
    assert_eq!(one.failing.calls(FarOperation::Read), 1, "near has them");
}

#[test]
fn m1_changes_of_many_keys_are_one_trip_and_reach_the_other_node() {
    let pair = Pair::of(CacheBuilder::far);
    let (one, two) = (&pair.one, &pair.two);
    let done = pair
        .time
        .block_on(one.numbers.put_many([(&1, 11), (&2, 22)]));
    assert_eq!(done, Done::Done);
    let calls = |operation| one.failing.calls(operation);
    assert_eq!(
        (calls(FarOperation::Read), calls(FarOperation::PutIf)),
        (1, 2)
    );
    let seen = |rig: &Rig| pair.time.block_on(held(&rig.numbers, &[1, 2]));
    assert_eq!(seen(two), [Some(11), Some(22)]);
    let done = pair.time.block_on(one.numbers.invalidate_many(&[1, 2]));
    assert_eq!((done, calls(FarOperation::Invalidate)), (Done::Done, 1));
    pair.time.advance(SECOND);
    assert_eq!(seen(one), [None, None]);
    assert_eq!(seen(two), [None, None]);
}

#[test]
fn f1_whatever_fails_a_batch_is_answered_by_its_load() {
    for operation in FarOperation::ALL {
        for fault in FAULTS {
            let (time, rig) = alone(CacheBuilder::far);
            rig.failing.fail(operation, fault, usize::MAX);
            let source = Many::ready();
            for version in 1..10 {
                source.change();
                let _ = time.block_on(rig.numbers.invalidate_many(&KEYS));
                let call = || time.block_on(source.fetch(&rig.numbers, &KEYS));
                let (found, wait) = took(&time, call);
                assert_eq!(found, fetched(version), "{operation:?} {fault:?}");
                assert!(wait.is_zero(), "{operation:?} {fault:?}");
            }
        }
    }
}

#[test]
fn f2_a_far_tier_that_hangs_costs_a_batch_one_deadline_however_many_keys_it_has() {
    let keys: Vec<u64> = (0..200).collect();
    for operation in [FarOperation::Read, FarOperation::StoreIf] {
        let (time, rig) = alone(CacheBuilder::far);
        let _gate = rig.slow.hold_before(operation);
        let source = Many::ready();
        let call = || time.block_on(source.fetch(&rig.numbers, &keys));
        let (found, wait) = took(&time, call);
        assert!(found.iter().all(Result::is_ok));
        assert_eq!(wait, DEADLINE, "{operation:?}");
    }
}

#[test]
fn a_load_that_fails_or_panics_costs_no_far_answer() {
    let pair = Pair::of(CacheBuilder::far);
    let source = Many::ready();
    pair.time.block_on(source.fetch(&pair.two.numbers, &[2]));
    let cache = &pair.one.numbers;
    for panics in [false, true] {
        let load = move |_| async move {
            assert!(!panics, "on purpose");
            Err::<Vec<(u64, u64)>, _>("down")
        };
        let found = pair.time.block_on(cache.get_or_load_many(&[1, 2], load));
        let kind = found[0].as_ref().unwrap_err().kind();
        let expected = if panics {
            LoadErrorKind::Panicked
        } else {
            LoadErrorKind::Source
        };
        assert_eq!(kind, expected);
        assert_eq!(found[1].as_ref().unwrap().as_deref(), Some(&2000));
        pair.time.block_on(cache.get_many(&[1]));
    }
    let released = pair.one.failing.calls(FarOperation::Release);
    assert_eq!(
        released, 2,
        "others need not wait for a load that has failed"
    );
}

#[test]
fn a_policy_to_raise_fails_all_keys_that_the_far_tier_was_asked_for() {
    let (time, rig) = alone(|cache| cache.far().raise_far_errors(true));
    let source = Many::ready();
    time.block_on(source.fetch(&rig.numbers, &[1]));
    rig.failing.die(Fault::Lost);
    let found = time.block_on(source.fetch(&rig.numbers, &[1, 2, 3]));
    let failed = Err(LoadErrorKind::Far);
    assert_eq!(found, [Ok(Some(1000)), failed, failed]);
    assert_eq!(source.calls().len(), 1);
}

#[test]
fn i1_an_invalidation_while_the_far_tier_answers_concerns_its_key_alone() {
    let pair = Pair::of(CacheBuilder::far);
    let source = Many::ready();
    pair.time.block_on(source.fetch(&pair.two.numbers, &[1, 2]));
    let (one, time) = (&pair.one, &pair.time);
    let gate = one.slow.hold_after(FarOperation::Read);
    let batch = time.spawn(source.fetch(&one.numbers, &[1, 2]));
    time.run_until_idle();
    assert_eq!(gate.waiting(), 1);
    one.slow.hurry();
    source.change();
    assert_eq!(time.block_on(one.numbers.invalidate_many(&[1])), Done::Done);
    let late = time.spawn(source.fetch(&one.numbers, &[1, 2]));
    time.run_until_idle();
    gate.open();
    assert_eq!(time.block_on(batch), [Ok(Some(1001)), Ok(Some(2000))]);
    assert_eq!(time.block_on(late), [Ok(Some(1001)), Ok(Some(2000))]);
}

#[test]
fn i1_an_invalidation_while_a_batch_stores_is_not_undone_by_it() {
    for after in [false, true] {
        let pair = Pair::of(CacheBuilder::far);
        let (one, time, source) = (&pair.one, &pair.time, Many::ready());
        let gate = match after {
            true => one.slow.hold_after(FarOperation::StoreIf),
            false => one.slow.hold_before(FarOperation::StoreIf),
        };
        let batch = time.spawn(source.fetch(&one.numbers, &[1, 2]));
        time.run_until_idle();
        assert_eq!(gate.waiting(), 2);
        one.slow.hurry();
        source.change();
        assert_eq!(
            time.block_on(pair.two.numbers.invalidate_many(&[1])),
            Done::Done
        );
        gate.open();
        time.block_on(batch);
        time.advance(SECOND);
        for rig in [&pair.two, one] {
            let found = time.block_on(source.fetch(&rig.numbers, &[1, 2]));
            assert_eq!(found, [Ok(Some(1001)), Ok(Some(2000))], "{after}");
        }
    }
}

#[test]
fn i1_what_is_not_acknowledged_is_queued_key_by_key_and_fenced() {
    for puts in [false, true] {
        let pair = Pair::of(CacheBuilder::far);
        let (one, time, source) = (&pair.one, &pair.time, Many::ready());
        time.block_on(source.fetch(&pair.two.numbers, &[1, 2, 3]));
        one.failing.die(Fault::Lost);
        source.change();
        let done = match puts {
            true => time.block_on(one.numbers.put_many([(&1, 7), (&2, 7)])),
            false => time.block_on(one.numbers.invalidate_many(&[1, 2])),
        };
        assert_eq!((done, pair.pending()), (Done::Queued, 2));
        // The far tier answers again, and only the queue has not got through.
        one.failing.heal();
        one.failing
            .fail(FarOperation::Invalidate, Fault::Lost, usize::MAX);
        if !puts {
            let found = time.block_on(source.fetch(&one.numbers, &[1, 2, 3]));
            assert_eq!(found, [Ok(Some(1001)), Ok(Some(2001)), Ok(Some(3000))]);
        }
        one.failing.heal();
        time.advance(SECOND * 10);
        assert_eq!(pair.pending(), 0);
        let found = time.block_on(source.fetch(&pair.two.numbers, &[1, 2, 3]));
        assert_eq!(found, [Ok(Some(1001)), Ok(Some(2001)), Ok(Some(3000))]);
    }
}

#[test]
fn a_change_of_many_keys_goes_on_when_its_caller_leaves() {
    for operation in [FarOperation::Invalidate, FarOperation::PutIf] {
        let pair = Pair::of(CacheBuilder::far);
        let (one, time, source) = (&pair.one, &pair.time, Many::ready());
        time.block_on(source.fetch(&pair.two.numbers, &[1, 2]));
        let gate = one.slow.hold_before(operation);
        let cache = one.numbers.clone();
        let mut change = Box::pin(async move {
            match operation {
                FarOperation::PutIf => cache.put_many([(&1, 7), (&2, 7)]).await,
                _ => cache.invalidate_many(&[1, 2]).await,
            }
        });
        begin(time, &mut change);
        time.run_until_idle();
        while gate.waiting() == 0 {
            begin(time, &mut change);
            time.run_until_idle();
        }
        drop(change);
        gate.open();
        time.advance(SECOND);
        let expected = if operation == FarOperation::PutIf {
            Some(7)
        } else {
            None
        };
        let seen = time.block_on(held(&pair.two.numbers, &[1, 2]));
        assert_eq!(seen, [expected; 2], "{operation:?}");
    }
}
