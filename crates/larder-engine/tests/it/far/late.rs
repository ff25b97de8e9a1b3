//! One budget for all far trips of an operation, and what is told later because it was used up.

use std::time::Duration;

use larder_engine::{CacheBuilder, Change as Done};
use larder_kit::{FarOperation, Fault};

use super::faults::{DEADLINE, FAULTS, alone, took};
use super::rig::{Pair, TAG};
use crate::support::{SECOND, Source};

#[test]
fn f2_the_far_trips_of_one_operation_share_one_deadline() {
    let (time, rig) = alone(CacheBuilder::far);
    for operation in FarOperation::ALL {
        rig.slow
            .delay(operation, Duration::from_millis(200), time.runtime());
    }
    let source = Source::ready();
    let (value, wait) = took(&time, || rig.fetch(&time, &source));
    assert_eq!(
        (value, wait),
        (1, DEADLINE),
        "a read of 200 ms leaves a store 50"
    );
    let put = |value| time.block_on(rig.numbers.put(&1, value));
    let (done, wait) = took(&time, || put(7));
    assert_eq!((done, wait), (Done::Queued, DEADLINE));
}

#[test]
fn f2_changes_of_a_far_tier_that_hangs_are_queued_after_one_deadline() {
    let changes = [
        FarOperation::Invalidate,
        FarOperation::DropBarrier,
        FarOperation::Expire,
        FarOperation::PutIf,
        FarOperation::Read,
    ];
    for operation in changes {
        let (time, rig) = alone(CacheBuilder::far);
        let gate = rig.slow.hold_before(operation);
        let change = async {
            match operation {
                FarOperation::Invalidate => rig.numbers.invalidate(&1).await,
                FarOperation::DropBarrier => rig.numbers.invalidate_tag(TAG).await,
                FarOperation::Expire => rig.numbers.expire(&1).await,
                _ => rig.numbers.put(&1, 7).await,
            }
        };
        let (done, wait) = took(&time, || time.block_on(change));
        assert_eq!((done, wait), (Done::Queued, DEADLINE), "{operation:?}");
        gate.open();
        time.advance(5 * SECOND);
        let far = rig.numbers.stats().far_tier.unwrap();
        assert_eq!((far.pending, far.queued), (0, 1), "{operation:?}");
    }
}

#[test]
fn f2_what_was_queued_reaches_the_other_node_after_healing() {
    for fault in FAULTS {
        let pair = Pair::new();
        pair.fill_far();
        pair.one.failing.die(fault);
        let new = pair.source.change();
        let done = pair.time.block_on(async {
            [
                pair.one.numbers.invalidate(&1).await,
                pair.one.numbers.invalidate_tag(TAG).await,
                pair.one.numbers.expire(&3).await,
                pair.one.numbers.put(&4, 4).await,
            ]
        });
        assert_eq!(done, [Done::Queued; 4], "{fault:?}");
        assert_eq!(pair.pending(), 4);
        pair.time.advance(10 * SECOND);
        assert_eq!(pair.pending(), 4, "{fault:?}: nothing is given up");
        pair.one.failing.heal();
        pair.time.advance(5 * SECOND);
        assert_eq!(pair.pending(), 0, "{fault:?}");
        assert_eq!(pair.two.fetch(&pair.time, &pair.source), new, "{fault:?}");
        assert_eq!(pair.fetch(), new, "{fault:?}");
    }
}

#[test]
fn f2_a_shutdown_waits_for_the_queue_and_no_longer_than_asked() {
    let (time, rig) = alone(CacheBuilder::far);
    rig.failing.die(Fault::NotSent);
    assert_eq!(time.block_on(rig.numbers.invalidate(&1)), Done::Queued);
    assert!(!time.block_on(rig.larder.shutdown(SECOND)));
    rig.failing.heal();
    assert!(time.block_on(rig.larder.shutdown(5 * SECOND)));
}

#[test]
fn f2_a_shutdown_waits_for_a_change_whose_caller_has_left() {
    let pair = Pair::new();
    let starts = pair.one.slow.hold_before(FarOperation::Invalidate);
    let numbers = pair.one.numbers.clone();
    let change = pair.time.spawn(async move { numbers.invalidate(&1).await });
    pair.time.run_until_idle();
    change.cancel();
    let larder = pair.one.larder.clone();
    let rest = pair
        .time
        .spawn(async move { larder.shutdown(SECOND).await });
    pair.time.advance(SECOND / 10);
    assert!(!rest.is_finished());
    starts.open();
    pair.time.advance(SECOND / 10);
    assert!(rest.is_finished());
    assert!(pair.time.block_on(rest));
}

/// Reads that fail take every trial of the breaker; the queue is not to wait for them.
#[test]
fn f2_the_queue_drains_while_all_reads_fail() {
    let (time, rig) = alone(CacheBuilder::far_only);
    rig.failing
        .fail(FarOperation::Read, Fault::Lost, usize::MAX);
    rig.failing.fail(FarOperation::Invalidate, Fault::Lost, 4);
    let source = Source::ready();
    assert_eq!(time.block_on(rig.numbers.invalidate(&1)), Done::Queued);
    let mut passed = Duration::ZERO;
    while rig.numbers.stats().far_tier.unwrap().pending > 0 {
        for _ in 0..6 {
            rig.fetch(&time, &source);
        }
        assert!(passed < 5 * SECOND, "nothing drains");
        time.advance(SECOND / 100);
        passed += SECOND / 100;
    }
    assert!(rig.numbers.stats().far_tier.unwrap().failures > 5);
}
