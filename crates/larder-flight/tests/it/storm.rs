//! Many callers, one load.

use std::future::{pending, ready};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use larder_core::LoadErrorKind;
use larder_kit::{Gate, Virtual};

use crate::cache::{Answer, Cache, DEADLINE, failed, kind};

const HALF: Duration = Duration::from_millis(500);

#[test]
fn bug_a9_two_hundred_callers_of_a_cold_key_make_one_load() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let call = || {
        let (cache, gate) = (cache.clone(), gate.clone());
        time.spawn(async move {
            let load = async move {
                gate.wait().await;
                Ok(7)
            };
            cache.get(1, load).await
        })
    };
    let calls: Vec<_> = (0..200).map(|_| call()).collect();
    time.run_until_idle();
    assert_eq!((cache.loads(), cache.flights.running()), (1, 1));
    gate.open();
    for call in calls {
        assert_eq!(kind(time.block_on(call)), Ok(7));
    }
    assert_eq!((cache.loads(), cache.flights.running()), (1, 0));
    assert_eq!(time.sleepers(), 0);
}

#[test]
fn bug_a1_a_leader_that_leaves_takes_nothing_along() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let call = |cache: Cache| {
        let slept = time.clone();
        time.spawn(async move {
            let load = async move {
                larder_core::Runtime::sleep(&slept, HALF).await;
                Ok(7)
            };
            cache.get(1, load).await
        })
    };
    let leader = call(cache.clone());
    time.advance(HALF / 10);
    let others: Vec<_> = (0..10).map(|_| call(cache.clone())).collect();
    time.advance(HALF / 10);
    leader.cancel();
    time.advance(HALF);
    for other in others {
        assert!(other.is_finished());
        assert_eq!(kind(time.block_on(other)), Ok(7));
    }
    assert_eq!(cache.loads(), 1);
}

#[test]
fn a_load_that_everybody_left_is_kept() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let entered = gate.clone();
    drop(cache.load(1, async move {
        entered.wait().await;
        Ok(7)
    }));
    time.run_until_idle();
    gate.open();
    time.run_until_idle();
    assert_eq!(cache.near(1), Some(7));
    assert_eq!(time.tasks(), 0);
}

#[test]
fn bug_a10_fifty_callers_get_the_error_of_one_load() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let call = || {
        let (cache, gate) = (cache.clone(), gate.clone());
        time.spawn(async move {
            let load = async move {
                gate.wait().await;
                Err(failed("disk 7 is gone"))
            };
            cache.get(1, load).await
        })
    };
    let calls: Vec<_> = (0..50).map(|_| call()).collect();
    time.run_until_idle();
    gate.open();
    for call in calls {
        let error = time.block_on(call).unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Source);
        assert_eq!(error.downcast_ref(), Some(&"disk 7 is gone"));
    }
    assert_eq!((cache.loads(), cache.near(1)), (1, None));
    assert_eq!(kind(time.block_on(cache.get(1, ready(Ok(8))))), Ok(8));
}

#[test]
fn keys_load_side_by_side() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let stuck: Vec<_> = (0..100).map(|key| cache.load(key, pending())).collect();
    assert_eq!(kind(time.block_on(cache.get(100, ready(Ok(7))))), Ok(7));
    assert_eq!(cache.flights.running(), stuck.len());
}

#[test]
fn who_joins_before_the_load_starts_gets_its_answer_and_its_deadline() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (first, second) = (cache.lead(1), cache.lead(2));
    let joined = [1, 2].map(|key| time.spawn(cache.join(key).wait()));
    time.run_until_idle();
    cache.start(1, first, ready(Ok(7)));
    cache.start(2, second, pending());
    time.advance(DEADLINE);
    let answers = joined.map(|joined| {
        assert!(joined.is_finished());
        kind(time.block_on(joined))
    });
    assert_eq!(answers, [Ok(7), Err(LoadErrorKind::TimedOut)]);
}

#[test]
fn a_settled_lead_answers_those_who_joined() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let lead = cache.lead(1);
    let joined = cache.join(1);
    lead.settle(9);
    assert_eq!(kind(time.block_on(joined.wait())), Ok(9));
    assert_eq!(cache.flights.running(), 0);
}

const ROUNDS: u64 = 3_000;
const THREADS: usize = 4;

/// Threads miss, enter and end at once, key after key. Whoever arrives as a flight ends must find
/// it or its value; and with a limit of one, nobody may be refused for one whom it could join.
#[test]
fn no_load_runs_twice_on_threads_that_race_at_its_end() {
    let time = Virtual::new();
    let cache = Cache::bounded(&time, 1);
    let barrier = Arc::new(Barrier::new(THREADS));
    let run = || {
        let (cache, barrier) = (cache.clone(), Arc::clone(&barrier));
        thread::spawn(move || race(&cache, &barrier))
    };
    let threads: Vec<_> = (0..THREADS).map(|_| run()).collect();
    let wrong: Vec<_> = threads
        .into_iter()
        .flat_map(|run| run.join().unwrap())
        .collect();
    assert_eq!(wrong, []);
    assert_eq!(cache.loads(), ROUNDS as usize);
    assert_eq!((cache.flights.running(), cache.limit.in_use()), (0, 0));
}

/// The wrong answers. No assertion here, for the others would wait at the barrier for ever.
fn race(cache: &Cache, barrier: &Barrier) -> Vec<Result<u64, LoadErrorKind>> {
    let _outside = cache.time.outside();
    let answers = (0..ROUNDS).map(|key| {
        barrier.wait();
        let load = async move { Answer::Ok(key) };
        (key, kind(cache.time.block_on(cache.get(key, load))))
    });
    answers
        .filter(|(key, answer)| *answer != Ok(*key))
        .map(|(_, answer)| answer)
        .collect()
}
