//! Invalidations whose answer is unknown: the queue and its fence.

use larder_engine::{Change as Done, Got, Outcome, Why};
use larder_kit::{FarOperation, Fault};

use crate::far::rig::{Pair, TAG};
use crate::support::{SECOND, TTL};

fn why(outcome: Outcome) -> Option<Why> {
    match outcome {
        Outcome::Loaded { why, .. } => Some(why),
        _ => None,
    }
}

#[test]
fn what_has_no_answer_is_not_believed() {
    for fault in [Fault::NotSent, Fault::Lost, Fault::Done, Fault::Late] {
        let pair = Pair::new();
        pair.fill_far();
        pair.one.failing.fail(FarOperation::Invalidate, fault, 1);
        let new = pair.source.change();
        let done = pair.time.block_on(pair.one.numbers.invalidate(&1));
        assert_eq!((done, pair.pending()), (Done::Queued, 1), "{fault:?}");
        assert_eq!(pair.held(), None, "{fault:?}: the far value is fenced");
        let fetched = pair.source.fetch(&pair.one.numbers, 1);
        let fetched = pair.time.block_on(fetched).unwrap();
        assert_eq!(fetched.value, new, "{fault:?}");
        assert_eq!(why(fetched.outcome), Some(Why::Fenced), "{fault:?}");
    }
}

#[test]
fn the_fence_stands_until_the_store_has_acknowledged() {
    let pair = Pair::new();
    pair.fill_far();
    pair.one
        .failing
        .fail(FarOperation::Invalidate, Fault::Lost, 4);
    pair.source.change();
    assert_eq!(
        pair.time.block_on(pair.one.numbers.invalidate(&1)),
        Done::Queued
    );
    // A reconnect is no acknowledgement.
    pair.one.bus.mend();
    for tries in 2..=4 {
        while pair.one.failing.calls(FarOperation::Invalidate) < tries {
            assert_eq!(pair.held(), None);
            pair.time.advance(SECOND / 100);
        }
        assert_eq!((pair.held(), pair.pending()), (None, 1));
    }
    pair.time.advance(2 * SECOND);
    assert_eq!((pair.held(), pair.pending()), (None, 0));
    assert_eq!(
        pair.two.held(&pair.time),
        None,
        "other nodes have heard of it"
    );
}

/// Not even while the repetition is under way.
#[test]
fn the_fence_stands_while_the_repetition_has_no_answer() {
    let pair = Pair::new();
    pair.fill_far();
    let failing = &pair.one.failing;
    failing.fail(FarOperation::Invalidate, Fault::Lost, 1);
    pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.invalidate(&1));
    let repetition = pair.one.slow.hold_before(FarOperation::Invalidate);
    pair.time.advance(SECOND / 10);
    assert_eq!((repetition.waiting(), pair.pending()), (1, 1));
    assert_eq!(pair.held(), None);
    repetition.open();
    pair.one.slow.hurry();
    pair.time.advance(2 * SECOND);
    assert_eq!((pair.held(), pair.pending()), (None, 0));
}

/// It would be dead once the item is acknowledged; until then it is one more old value for others.
#[test]
fn what_was_read_before_the_fence_is_not_stored_under_it() {
    let pair = Pair::new();
    pair.source.gate.close();
    let load = pair.call();
    let failing = &pair.one.failing;
    failing.fail(FarOperation::Invalidate, Fault::NotSent, 1);
    let _ = pair.time.block_on(pair.one.numbers.invalidate(&1));
    pair.source.gate.open();
    assert_eq!(pair.time.block_on(load), 1);
    assert_eq!(pair.pending(), 1);
    assert_eq!(failing.calls(FarOperation::StoreIf), 0);
}

#[test]
fn the_fence_of_a_tag_stands_around_values_that_tell_it_themselves() {
    let pair = Pair::new();
    pair.fill_far();
    pair.one
        .failing
        .fail(FarOperation::DropBarrier, Fault::Lost, 1);
    let new = pair.source.change();
    let done = pair.time.block_on(pair.one.numbers.invalidate_tag(TAG));
    assert_eq!(done, Done::Queued);
    assert_eq!(pair.held(), None, "the call names no tag, the frame does");
    assert_eq!(pair.fetch(), new);
}

#[test]
fn the_fence_of_a_clear_stands_around_all() {
    let pair = Pair::new();
    pair.fill_far();
    pair.one
        .failing
        .fail(FarOperation::DropBarrier, Fault::Lost, 1);
    let new = pair.source.change();
    assert_eq!(pair.time.block_on(pair.one.numbers.clear()), Done::Queued);
    assert_eq!(pair.held(), None);
    assert_eq!(pair.fetch(), new);
}

/// A far answer is under way all the while that a queued tag is acknowledged.
#[test]
fn v4_a_far_answer_decoded_after_the_drain_falls() {
    let pair = Pair::new();
    pair.fill_far();
    pair.one
        .failing
        .fail(FarOperation::DropBarrier, Fault::Lost, 1);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.invalidate_tag(TAG));
    let answers = pair.one.slow.hold_after(FarOperation::Read);
    let get = pair.time.spawn({
        let numbers = pair.one.numbers.clone();
        async move { numbers.get(&1).await }
    });
    let load = pair.call();
    pair.one.slow.hurry();
    assert_eq!(answers.waiting(), 2);
    pair.time.advance(SECOND / 10);
    assert_eq!(pair.pending(), 0, "drained");
    answers.open();
    assert_eq!(pair.time.block_on(get), Got::Unknown);
    assert_eq!(pair.time.block_on(load), new);
    assert_eq!(pair.fetch(), new);
}

/// What a call loaded and kept near under the fence is refused once more by the raise of the drain,
/// and what it stored far cannot be old.
#[test]
fn what_is_loaded_under_a_fence_is_new_on_every_node() {
    let pair = Pair::new();
    pair.fill_far();
    pair.one
        .failing
        .fail(FarOperation::Invalidate, Fault::Late, 1);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.invalidate(&1));
    assert_eq!(pair.fetch(), new);
    for late in pair.one.failing.late() {
        pair.time.block_on(late.run()).unwrap();
    }
    pair.time.advance(SECOND);
    assert_eq!(pair.pending(), 0);
    assert_eq!(pair.fetch(), new);
    assert_eq!(pair.two.fetch(&pair.time, &pair.source), new);
}

#[test]
fn a_queue_that_overflows_loses_nothing() {
    let pair = Pair::of(|cache| cache.far().queue(2));
    pair.time.block_on(async {
        for key in 1..=9 {
            let _ = pair.two.numbers.put(&key, 1).await;
        }
        pair.one.failing.die(Fault::NotSent);
        for key in 1..=3 {
            assert_eq!(pair.one.numbers.invalidate(&key).await, Done::Queued);
        }
    });
    assert_eq!(pair.pending(), 1, "one clear");
    pair.one.failing.heal();
    pair.time.block_on(async {
        for key in 1..=9 {
            assert_eq!(pair.one.numbers.get(&key).await, Got::Unknown, "{key}");
        }
    });
    pair.time.advance(5 * SECOND);
    assert_eq!(pair.pending(), 0);
    pair.time.block_on(async {
        for key in 1..=9 {
            assert_eq!(pair.two.numbers.get(&key).await, Got::Unknown, "{key}");
        }
    });
}

#[test]
fn an_item_that_fails_for_ever_holds_no_other_back() {
    let pair = Pair::new();
    pair.fill_far();
    pair.one
        .failing
        .fail(FarOperation::DropBarrier, Fault::Lost, usize::MAX);
    pair.one
        .failing
        .fail(FarOperation::Invalidate, Fault::NotSent, 1);
    let _ = pair.time.block_on(pair.one.numbers.invalidate_tag("other"));
    let _ = pair.time.block_on(pair.one.numbers.invalidate(&1));
    assert_eq!(pair.pending(), 2);
    pair.time.advance(2 * SECOND);
    assert_eq!(pair.pending(), 1);
    assert_eq!(pair.two.held(&pair.time), None);
}

/// The fence went with the cache; its queue did not.
#[test]
fn what_a_dropped_cache_has_queued_reaches_the_next_of_its_name() {
    let mut pair = Pair::new();
    pair.fill_far();
    pair.one
        .failing
        .fail(FarOperation::Invalidate, Fault::Lost, 1);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.invalidate(&1));
    let other = pair.one.larder.cache("other").build().unwrap();
    drop(std::mem::replace(&mut pair.one.numbers, other));
    let next = pair.one.larder.cache("numbers").ttl(TTL).far();
    pair.one.numbers = next.build().unwrap();
    pair.fetch();
    pair.time.advance(SECOND);
    assert_eq!(pair.fetch(), new);
}

#[test]
fn a_cache_built_anew_stands_behind_the_fence_of_the_old() {
    let mut pair = Pair::new();
    pair.fill_far();
    pair.one
        .failing
        .fail(FarOperation::Invalidate, Fault::Lost, 3);
    let new = pair.source.change();
    let done = pair.time.block_on(pair.one.numbers.invalidate(&1));
    assert_eq!(done, Done::Queued);
    let name = "a name for the time between";
    let between = pair.one.larder.cache(name).build().unwrap();
    drop(std::mem::replace(&mut pair.one.numbers, between));
    let again = pair.one.larder.cache("numbers").ttl(TTL).far().build();
    pair.one.numbers = again.unwrap();
    assert_eq!((pair.held(), pair.pending()), (None, 1));
    let fetched = pair.source.fetch(&pair.one.numbers, 1);
    assert_eq!(pair.time.block_on(fetched).unwrap().value, new);
    pair.time.advance(SECOND * 5);
    assert_eq!((pair.held(), pair.pending()), (None, 0));
}
