//! Streams over a far tier: stored whole, in one step.

use std::pin::Pin;
use std::sync::Arc;

use futures_lite::{Stream, StreamExt};
use larder_core::LoadErrorKind;
use larder_core::far::{Abilities, Guarded};
use larder_engine::{Change as Done, Larder, Outcome};
use larder_kit::{Able, FailingFar, FarOperation, Fault, SlowFar, Virtual};
use larder_memory::Shelf;

use super::support::{beat, shelf};
use crate::streams::source::{Lists, Tap, all, held, ready, some};
use crate::support::{SECOND, TTL};

/// A node whose far tier does what a test says.
struct Node {
    lists: Lists,
    slow: SlowFar,
    failing: FailingFar,
}

impl Node {
    fn over(time: &Virtual, shelf: &Shelf) -> Self {
        let guarded: Arc<dyn Guarded> = Arc::new(shelf.clone());
        let failing = FailingFar::new(guarded);
        let slow = SlowFar::new(Arc::new(failing.clone()));
        let abilities = Abilities::default()
            .guarded(&Arc::new(slow.clone()))
            .bus(&Arc::new(shelf.clone()));
        let store = Able::new(shelf.clone(), abilities);
        let larder = Larder::builder().runtime(time.clone()).far(store);
        let larder = larder.build().unwrap();
        let lists = larder.cache("lists").ttl(TTL).far().build().unwrap();
        Self {
            lists,
            slow,
            failing,
        }
    }
}

fn nodes() -> (Virtual, Node, Node) {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let (one, two) = (Node::over(&time, &shelf), Node::over(&time, &shelf));
    beat(&time);
    (time, one, two)
}

#[test]
fn m2_a_stream_is_stored_once_and_given_on_another_node_without_its_source() {
    let (time, one, two) = nodes();
    let tap = Tap::new();
    let mut items = tap.call(&one.lists);
    tap.give(0..5);
    assert_eq!(ready(&time, &mut items), some(0..5));
    assert_eq!(
        one.failing.calls(FarOperation::StoreIf),
        0,
        "it is not whole"
    );
    tap.end();
    assert_eq!(ready(&time, &mut items), [None]);
    time.run_until_idle();
    assert_eq!(one.failing.calls(FarOperation::StoreIf), 1);

    let unused = Tap::of([9]);
    let source = unused.clone();
    let mut led = two.lists.get_or_stream(&1, move || source.start());
    let mut joined = unused.call(&two.lists);
    let first = time.block_on(led.next()).unwrap();
    assert!(matches!(led.outcome(), Some(Outcome::Far { .. })));
    assert_eq!(first.unwrap(), 0);
    assert_eq!(ready(&time, &mut joined).len(), 6);
    let rest: Pin<Box<dyn Stream<Item = _> + Send>> = Box::pin(led);
    assert_eq!(time.block_on(rest.count()), 4);
    assert_eq!((unused.calls(), two.lists.stats().far), (0, 1));
    assert_eq!(held(&time, &two.lists), Some((0..5).collect()));
}

#[test]
fn an_empty_stream_is_stored_far_as_one() {
    let (time, one, two) = nodes();
    assert_eq!(all(&time, Tap::of([]).call(&one.lists)), []);
    time.run_until_idle();
    let unused = Tap::of([9]);
    assert_eq!(all(&time, unused.call(&two.lists)), []);
    assert_eq!(unused.calls(), 0);
}

#[test]
fn a_stream_that_fails_is_not_stored_and_lets_go_of_its_key() {
    let (time, one, two) = nodes();
    let tap = Tap::new();
    tap.give([1]);
    tap.fail();
    let given = all(&time, tap.call(&one.lists));
    assert_eq!(given, [Ok(1), Err(LoadErrorKind::Source)]);
    time.run_until_idle();
    let calls = |operation| one.failing.calls(operation);
    assert_eq!(
        (calls(FarOperation::StoreIf), calls(FarOperation::Release)),
        (0, 1)
    );
    assert_eq!(all(&time, Tap::of([2]).call(&two.lists)), [Ok(2)]);
}

#[test]
fn m2_neither_an_element_nor_the_end_waits_for_the_far_store() {
    let (time, one, _) = nodes();
    let gate = one.slow.hold_before(FarOperation::StoreIf);
    let tap = Tap::of(0..3);
    let mut items = tap.call(&one.lists);
    let given = ready(&time, &mut items);
    assert_eq!((given.len(), given.last()), (4, Some(&None)));
    time.run_until_idle();
    assert_eq!(gate.waiting(), 1);
    // Who comes meanwhile follows what is there.
    assert_eq!(all(&time, tap.call(&one.lists)).len(), 3);
    gate.open();
    time.run_until_idle();
    assert_eq!(
        (held(&time, &one.lists), tap.calls()),
        (Some(vec![0, 1, 2]), 1)
    );
}

#[test]
fn f1_a_far_tier_that_fails_costs_a_stream_nothing_and_one_that_hangs_a_deadline() {
    for operation in FarOperation::ALL {
        for fault in [Fault::NotSent, Fault::Lost, Fault::Done, Fault::Late] {
            let (time, one, _) = nodes();
            one.failing.fail(operation, fault, usize::MAX);
            let given = all(&time, Tap::of(0..3).call(&one.lists));
            assert_eq!(given.len(), 3, "{operation:?} {fault:?}");
            time.run_until_idle();
            assert!(held(&time, &one.lists).is_some(), "{operation:?} {fault:?}");
        }
    }
    let (time, one, _) = nodes();
    let _gate = one.slow.hold_before(FarOperation::Read);
    let mut items = Tap::of(0..3).call(&one.lists);
    assert_eq!(ready(&time, &mut items), []);
    time.advance(super::faults::DEADLINE);
    assert_eq!(ready(&time, &mut items).len(), 4);
}

#[test]
fn i1_a_stream_that_was_invalidated_while_it_ran_or_was_stored_comes_back_on_no_node() {
    for after in [None, Some(false), Some(true)] {
        let (time, one, two) = nodes();
        let tap = Tap::new();
        let mut items = tap.call(&one.lists);
        tap.give([1]);
        assert_eq!(ready(&time, &mut items), some([1]));
        let gate = after.map(|after| match after {
            true => one.slow.hold_after(FarOperation::StoreIf),
            false => one.slow.hold_before(FarOperation::StoreIf),
        });
        if gate.is_some() {
            tap.end();
            time.run_until_idle();
        }
        assert_eq!(time.block_on(two.lists.invalidate(&1)), Done::Done);
        tap.end();
        gate.into_iter().for_each(|gate| gate.open());
        time.advance(SECOND);
        for node in [&one, &two] {
            assert_eq!(held(&time, &node.lists), None, "{after:?}");
        }
    }
}

#[test]
fn i2_a_running_source_is_not_joined_after_a_message_of_another_node() {
    let (time, one, two) = nodes();
    let (old, new) = (Tap::new(), Tap::new());
    let mut early = old.call(&one.lists);
    old.give([1]);
    assert_eq!(ready(&time, &mut early), some([1]));
    assert_eq!(time.block_on(two.lists.invalidate(&1)), Done::Done);
    time.advance(SECOND);
    let mut late = new.call(&one.lists);
    new.give([2]);
    assert_eq!(ready(&time, &mut late), some([2]));
}
