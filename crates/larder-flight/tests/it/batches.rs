//! One load for several keys.

mod early;

use std::sync::Arc;

use futures_lite::future::zip;
use larder_core::{LoadError, LoadErrorKind};
use larder_flight::{Entered, Leads, Waiter};
use larder_kit::{Gate, Virtual};

use crate::cache::{Cache, DEADLINE, kind};

type Answers = Vec<Result<u64, LoadErrorKind>>;

/// Enters `keys`: the leads, and those that others load.
fn enter(cache: &Cache, keys: &[u64]) -> (Leads<u64, u64>, Vec<Waiter<u64>>) {
    let places = keys.iter().map(|key| (key, cache.slot(*key)));
    let (mut leads, mut joins) = (Vec::new(), Vec::new());
    for entered in cache.flights.enter_many(places, cache.ticket()) {
        match entered.expect("too many loads are running") {
            Entered::Lead(lead) => leads.push(lead),
            Entered::Join(waiter) => joins.push(waiter),
        }
    }
    (leads.into_iter().collect(), joins)
}

/// Starts a load that gives `keys` times ten when the gate is open.
fn start(leads: Leads<u64, u64>, keys: &[u64], gate: &Gate) -> Vec<Waiter<u64>> {
    let values = keys.iter().map(|key| Ok(key * 10)).collect();
    let gate = gate.clone();
    let load = async move {
        gate.wait().await;
        Ok(values)
    };
    leads.start(DEADLINE, |_| load, |_, value| value)
}

fn answers(time: &Virtual, waiters: Vec<Waiter<u64>>) -> Answers {
    let wait = |waiter: Waiter<u64>| kind(time.block_on(waiter.wait()));
    waiters.into_iter().map(wait).collect()
}

#[test]
fn batches_and_single_calls_join_each_other() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let two = cache.load(2, async { Ok(22) });
    let (leads, joins) = enter(&cache, &[1, 2, 3]);
    assert_eq!((leads.len(), joins.len()), (2, 1));
    let own = start(leads, &[1, 3], &gate);
    let three = cache.join(3);
    gate.open();
    assert_eq!(answers(&time, own), [Ok(10), Ok(30)]);
    assert_eq!(answers(&time, vec![three, two]), [Ok(30), Ok(22)]);
    assert_eq!(answers(&time, joins), [Ok(22)]);
    assert_eq!(cache.flights.running(), 0);
}

#[test]
fn a_batch_is_one_load_at_the_limits() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::bounded(&time, 1), Gate::closed());
    let (leads, _) = enter(&cache, &[1, 2, 3]);
    assert_eq!(cache.limit.in_use(), 1);
    let own = start(leads, &[1, 2, 3], &gate);
    let places = [(&4, cache.slot(4)), (&2, cache.slot(2))];
    let mut entered = cache.flights.enter_many(places, cache.ticket());
    assert!(matches!(entered.remove(1), Ok(Entered::Join(_))));
    let refused = entered.remove(0).err().map(|error| error.kind());
    assert_eq!(refused, Some(LoadErrorKind::Refused));
    gate.open();
    assert_eq!(answers(&time, own), [Ok(10), Ok(20), Ok(30)]);
    assert_eq!(cache.limit.in_use(), 0);
}

#[test]
fn a_key_fails_alone_and_a_load_fails_all() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (leads, _) = enter(&cache, &[1, 2, 3, 4]);
    let failed = LoadError::source("no line");
    let results = vec![Ok(1), Err(failed), Ok(3)];
    let own = leads.start(
        DEADLINE,
        |_| async { Ok(results) },
        |at, value| {
            assert_ne!(at, 2, "on purpose");
            value
        },
    );
    let expected = [
        Ok(1),
        Err(LoadErrorKind::Source),
        Err(LoadErrorKind::Panicked),
        Err(LoadErrorKind::Refused),
    ];
    assert_eq!(answers(&time, own), expected);
    let (leads, _) = enter(&cache, &[1, 2]);
    let load = async { panic!("on purpose") };
    let own = leads.start(DEADLINE, |_| load, |_, value: u64| value);
    assert_eq!(answers(&time, own), [Err(LoadErrorKind::Panicked); 2]);
    assert_eq!(cache.flights.running(), 0);
}

#[test]
fn a_batch_that_hangs_ends_by_its_deadline_for_all_keys() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let (leads, _) = enter(&cache, &[1, 2]);
    let own = start(leads, &[1, 2], &gate);
    let joined = cache.join(2);
    time.advance(DEADLINE * 2);
    assert_eq!(answers(&time, own), [Err(LoadErrorKind::TimedOut); 2]);
    assert_eq!(answers(&time, vec![joined]), [Err(LoadErrorKind::TimedOut)]);
    assert_eq!((cache.flights.running(), gate.waiting()), (0, 0));
}

#[test]
fn a_batch_that_is_held_hands_over_when_it_is_dropped() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (leads, _) = enter(&cache, &[1, 2]);
    let held = leads.hold(
        DEADLINE,
        |_| async { Ok(vec![Ok(1), Ok(2)]) },
        |_, value| value,
    );
    let joined = cache.join(2);
    drop(held);
    assert_eq!(
        answers(&time, vec![joined]),
        [Err(LoadErrorKind::HandedOver)]
    );
    let (leads, _) = enter(&cache, &[1, 2]);
    let held = leads.hold(
        DEADLINE,
        |_| async { Ok(vec![Ok(1), Ok(2)]) },
        |_, value| value,
    );
    let held: Answers = time.block_on(held).into_iter().map(kind).collect();
    assert_eq!(held, [Ok(1), Ok(2)]);
    assert_eq!(cache.flights.running(), 0);
}

#[test]
fn a_batch_that_waits_for_one_of_its_keys_is_told_so() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    for inner in [1, 2] {
        let (leads, _) = enter(&cache, &[1, 2]);
        let again = cache.clone();
        let load = async move {
            let inner = again.get(inner, async { Ok(0) }).await;
            Ok(vec![inner.clone(), inner])
        };
        let own = leads.start(DEADLINE, |_| load, |_, value| value);
        assert_eq!(answers(&time, own), [Err(LoadErrorKind::Recursive); 2]);
    }
}

#[test]
fn loads_that_wait_for_each_other_through_any_key_of_a_batch_are_told_so() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let (leads, _) = enter(&cache, &[1, 2]);
    let (again, held) = (cache.clone(), gate.clone());
    let load = async move {
        held.wait().await;
        let inner = again.get(3, async { Ok(0) }).await;
        Ok(vec![inner.clone(), inner])
    };
    let own = leads.start(DEADLINE, |_| load, |_, value| value);
    let again = cache.clone();
    let three = cache.load(3, async move { again.get(2, async { Ok(0) }).await });
    time.run_until_idle();
    gate.open();
    let recursive = Err(LoadErrorKind::Recursive);
    assert_eq!(answers(&time, own), [recursive; 2]);
    assert_eq!(answers(&time, vec![three]), [recursive]);
}

#[test]
fn what_a_load_shows_is_seen_by_those_who_may_join() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let enter = |joins: bool| {
        let (slot, call) = (cache.slot(1), cache.ticket());
        let joins = move |_, _: &_| joins;
        let entered = cache
            .flights
            .enter_showing(&1, slot, call, Arc::new(7_u8), joins);
        entered.expect("too many loads are running")
    };
    let Entered::Lead(first) = enter(true) else {
        panic!("nobody loads it yet");
    };
    let Entered::Join(waiter) = enter(true) else {
        panic!("somebody does now");
    };
    let shown = waiter.shown().and_then(|shown| shown.downcast_ref());
    assert_eq!(shown, Some(&7_u8));
    let Entered::Lead(second) = enter(false) else {
        panic!("it must not be joined");
    };
    second.settle(2);
    first.settle(1);
    let ended = time.block_on(zip(waiter.wait(), async {}));
    assert_eq!(kind(ended.0), Ok(1));
}

#[test]
fn a_batch_that_ends_with_its_callers_goes_on_for_one_who_joined() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::bounded(&time, 1), Gate::closed());
    for joined in [None, Some(1), Some(2)] {
        let (leads, _) = enter(&cache, &[1, 2]);
        leads.end_with_callers();
        let own = start(leads, &[1, 2], &gate);
        let joined = joined.map(|key| (key, cache.join(key)));
        time.run_until_idle();
        drop(own);
        time.run_until_idle();
        let running = usize::from(joined.is_some());
        assert_eq!((cache.limit.in_use(), gate.waiting()), (running, running));
        if let Some((key, joined)) = joined {
            gate.open();
            assert_eq!(answers(&time, vec![joined]), [Ok(key * 10)]);
            gate.close();
        }
        assert_eq!(cache.limit.in_use(), 0);
    }
}

#[test]
fn a_caller_that_joins_and_leaves_before_the_load_starts_does_not_end_it_for_its_leader() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let lead = cache.lead(1);
    lead.end_with_callers();
    drop(cache.join(1));
    let own = cache.start(1, lead, async { Ok(7) });
    assert_eq!(answers(&time, vec![own]), [Ok(7)]);
    let (leads, _) = enter(&cache, &[2, 3]);
    leads.end_with_callers();
    drop(cache.join(3));
    let own = start(leads, &[2, 3], &Gate::opened());
    assert_eq!(answers(&time, own), [Ok(20), Ok(30)]);
}
