//! Loads whose key is invalidated while they run.

use std::future::ready;

use larder_flight::{Entered, Slot, Standing};
use larder_kit::{Gate, Virtual};

use crate::cache::{Answer, Cache, kind};

fn held(gate: &Gate, value: u64) -> impl Future<Output = Answer> + Send + 'static {
    let gate = gate.clone();
    async move {
        gate.wait().await;
        Ok(value)
    }
}

/// The near part of the case: the first caller may get the old value, nobody later does.
#[test]
fn bug_b1_a_call_after_an_invalidation_does_not_join_the_load_before_it() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let before = time.spawn(cache.load(1, held(&gate, 1)).wait());
    time.run_until_idle();
    cache.invalidate(1);
    let after = time.spawn(cache.load(1, held(&gate, 2)).wait());
    time.run_until_idle();
    assert_eq!((cache.loads(), cache.flights.running()), (2, 2));
    gate.open();
    assert_eq!(kind(time.block_on(before)), Ok(1));
    assert_eq!(kind(time.block_on(after)), Ok(2));
    assert_eq!(cache.near(1), Some(2));
}

#[test]
fn the_old_load_ending_last_does_not_come_back() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let before = time.spawn(cache.load(1, held(&gate, 1)).wait());
    time.run_until_idle();
    cache.invalidate(1);
    let after = cache.load(1, ready(Ok(2)));
    assert_eq!(kind(time.block_on(after.wait())), Ok(2));
    gate.open();
    assert_eq!(kind(time.block_on(before)), Ok(1));
    // It lies where the new one lay, and nobody may use it.
    assert_eq!(cache.near(1), None);
}

#[test]
fn while_two_loads_of_a_key_run_the_newer_one_is_joined() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let call = cache.ticket();
    let _before = cache.load(1, held(&gate, 1));
    cache.invalidate(1);
    let after = cache.load(1, held(&gate, 2));
    let joined = cache.join(1);
    assert_eq!(joined.ticket(), after.ticket());
    // One that began before both may have either; the newer one will last.
    let early = cache.enter(1, call, ready(Ok(9))).unwrap();
    assert_eq!(early.ticket(), after.ticket());
    gate.open();
    assert_eq!(kind(time.block_on(joined.wait())), Ok(2));
}

#[test]
fn a_call_that_began_before_the_invalidation_may_join() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let call = cache.ticket();
    let leader = cache.load(1, held(&gate, 1));
    cache.invalidate(1);
    let joined = cache.enter(1, call, ready(Ok(9))).unwrap();
    assert_eq!(joined.ticket(), leader.ticket());
    gate.open();
    assert_eq!(kind(time.block_on(joined.wait())), Ok(1));
}

#[test]
fn an_invalidation_of_another_slot_hinders_nobody_and_one_of_all_does() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let leader = cache.load(1, held(&gate, 1));
    cache.stamps.raise(Slot::new(cache.slot(1).index() ^ 1));
    assert_eq!(cache.join(1).ticket(), leader.ticket());
    cache.stamps.raise_all();
    let entered = cache.flights.enter(&1, cache.slot(1), cache.ticket());
    assert!(matches!(entered, Ok(Entered::Lead(_))));
    let standing = cache.stamps.standing(cache.slot(1), leader.ticket());
    assert_eq!(standing, Standing::Cleared);
}

/// Joined while current, invalidated before the answer: the caller loads for itself, once.
#[test]
fn a_joined_answer_that_was_invalidated_on_its_way_is_not_used() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let leader = cache.load(1, held(&gate, 1));
    cache.stamps.raise(Slot::new(cache.slot(1).index() ^ 1));
    let joined = time.spawn({
        let cache = cache.clone();
        async move { cache.get(1, ready(Ok(2))).await }
    });
    time.run_until_idle();
    assert_eq!(cache.loads(), 1);
    cache.invalidate(1);
    gate.open();
    assert_eq!(kind(time.block_on(joined)), Ok(2));
    assert_eq!(kind(time.block_on(leader.wait())), Ok(1));
    assert_eq!((cache.loads(), cache.near(1)), (2, Some(2)));
}

#[test]
fn the_ticket_of_a_load_is_taken_when_it_is_registered() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let call = cache.ticket();
    cache.invalidate(2);
    let Ok(Entered::Lead(lead)) = cache.flights.enter(&1, cache.slot(1), call) else {
        panic!("nobody loads yet")
    };
    let ticket = lead.ticket();
    assert_eq!((call.clock, ticket.clock), (0, 1));
    cache.invalidate(1);
    let waiter = cache.start(1, lead, ready(Ok(7)));
    assert_eq!(waiter.ticket(), ticket);
    assert_eq!(kind(time.block_on(waiter.wait())), Ok(7));
    assert_eq!(cache.near(1), None);
}
