//! What a batch knows of some keys before it knows all.

use larder_core::{LoadError, LoadErrorKind};
use larder_flight::{Early, Leads, Waiter};
use larder_kit::{Gate, Virtual};

use super::{answers, enter};
use crate::cache::{Cache, DEADLINE};

/// Key 2 of three is known at once, and key 3 when the gate is open.
fn start_early(leads: Leads<u64, u64>, gate: &Gate) -> Vec<Waiter<u64>> {
    let gate = gate.clone();
    let load = |early: Early<u64>| async move {
        early.give(1, Ok(20));
        early.give(1, Ok(21));
        early.give(7, Ok(70));
        gate.wait().await;
        early.give(2, Err(LoadError::source("no line")));
        Ok(vec![Ok(10)])
    };
    leads.start(DEADLINE, load, |at, value| value + at as u64)
}

#[test]
fn m1_what_a_batch_knows_early_waits_for_no_other_key() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::bounded(&time, 1), Gate::closed());
    let (leads, _) = enter(&cache, &[1, 2, 3]);
    let mut own = start_early(leads, &gate);
    let joined = cache.join(2);
    time.run_until_idle();
    assert_eq!(
        answers(&time, vec![joined, own.remove(1)]),
        [Ok(21), Ok(21)]
    );
    assert_eq!(cache.limit.in_use(), 1, "it runs");
    gate.open();
    assert_eq!(answers(&time, own), [Ok(10), Err(LoadErrorKind::Source)]);
    assert_eq!((cache.flights.running(), cache.limit.in_use()), (0, 0));
}

#[test]
fn l3_what_a_batch_knows_early_survives_its_deadline_and_the_others_do_not() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let (leads, _) = enter(&cache, &[1, 2, 3]);
    let own = start_early(leads, &gate);
    time.advance(DEADLINE * 2);
    let late = Err(LoadErrorKind::TimedOut);
    assert_eq!(answers(&time, own), [late, Ok(21), late]);
    assert_eq!((cache.flights.running(), gate.waiting()), (0, 0));
}

#[test]
fn l2_a_batch_ends_with_the_callers_of_what_it_does_not_know_yet() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let (leads, _) = enter(&cache, &[1, 2, 3]);
    leads.end_with_callers();
    let mut own = start_early(leads, &gate);
    time.run_until_idle();
    let known = own.remove(1);
    assert_eq!((cache.flights.running(), gate.waiting()), (1, 1));
    drop(own);
    time.run_until_idle();
    assert_eq!((cache.flights.running(), gate.waiting()), (0, 0));
    assert_eq!(answers(&time, vec![known]), [Ok(21)]);
}
