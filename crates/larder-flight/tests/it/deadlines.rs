//! Every load ends.

use std::future::{pending, poll_fn, ready};
use std::sync::mpsc;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use larder_core::LoadErrorKind;
use larder_kit::{Gate, Virtual};

use crate::cache::{Answer, Cache, DEADLINE, kind};

const TIMED_OUT: Result<u64, LoadErrorKind> = Err(LoadErrorKind::TimedOut);

#[test]
fn bug_a11_a_load_that_never_ends_times_out_for_all_and_frees_the_key() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let call = |_| {
        let cache = cache.clone();
        time.spawn(async move { cache.get(1, pending()).await })
    };
    let calls: Vec<_> = (0..50).map(call).collect();
    time.advance(DEADLINE - Duration::from_nanos(1));
    assert!(calls.iter().all(|call| !call.is_finished()));
    time.advance(Duration::from_nanos(1));
    for call in calls {
        assert!(call.is_finished());
        assert_eq!(kind(time.block_on(call)), TIMED_OUT);
    }
    assert_eq!((cache.loads(), cache.flights.running()), (1, 0));
    assert_eq!((time.tasks(), time.sleepers()), (0, 0));
    assert_eq!(kind(time.block_on(cache.get(1, ready(Ok(7))))), Ok(7));
}

#[test]
fn the_load_is_dropped_at_its_deadline_though_nobody_waits() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (held, dropped) = mpsc::channel::<()>();
    drop(cache.load(1, async move {
        let _held = held;
        pending().await
    }));
    time.advance(DEADLINE - Duration::from_nanos(1));
    assert_eq!(dropped.try_recv(), Err(mpsc::TryRecvError::Empty));
    time.advance(Duration::from_nanos(1));
    assert_eq!(dropped.try_recv(), Err(mpsc::TryRecvError::Disconnected));
    assert_eq!(cache.flights.running(), 0);
}

#[test]
fn the_error_says_how_long_the_load_had() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let call = time.spawn(cache.load(1, pending()).wait());
    time.advance(DEADLINE);
    let error = time.block_on(call).unwrap_err();
    assert_eq!(error.to_string(), "the load did not end within 1s");
}

#[test]
fn a_result_after_the_deadline_is_refused_though_nobody_noticed() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let hand = time.hand();
    let late = cache.load(1, async move {
        hand.advance(DEADLINE);
        Ok(7)
    });
    assert_eq!(kind(time.block_on(late.wait())), TIMED_OUT);
    assert_eq!((cache.near(1), cache.flights.running()), (None, 0));
}

#[test]
fn a_flight_past_its_deadline_is_not_joined() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    drop(cache.load(1, pending()));
    time.hand().advance(DEADLINE);
    let next = cache.load(1, ready(Ok(8)));
    assert_eq!(kind(time.block_on(next.wait())), Ok(8));
    assert_eq!(cache.loads(), 2);
}

/// The thread that runs the load hangs in it. Callers on other threads time out, the key can be
/// loaded anew, and what the hung load gives in the end is dropped.
#[test]
fn a_load_that_blocks_its_thread_times_out_for_callers_elsewhere() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (hung, has_hung) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let caller = time.spawn(
        cache
            .load(
                1,
                poll_fn(move |_| {
                    hung.send(()).unwrap();
                    released.recv().unwrap();
                    Poll::Ready(Ok(7))
                }),
            )
            .wait(),
    );
    let executor = thread::spawn({
        let time = time.clone();
        move || time.run_until_idle()
    });
    has_hung.recv().unwrap();
    time.advance(DEADLINE);
    assert!(caller.is_finished());
    assert_eq!(kind(time.block_on(caller)), TIMED_OUT);
    assert_eq!((cache.flights.running(), cache.limit.in_use()), (1, 1));
    assert_eq!(kind(time.block_on(cache.get(1, ready(Ok(8))))), Ok(8));
    release.send(()).unwrap();
    executor.join().unwrap();
    assert_eq!((cache.flights.running(), cache.limit.in_use()), (0, 0));
    assert_eq!(cache.near(1), Some(8));
}

/// The same while the result is being kept: the end is claimed, and no answer is there.
#[test]
fn a_keep_that_blocks_its_thread_does_not_hold_callers_past_the_deadline() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (hung, has_hung) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let waiter = cache.lead(1).start(DEADLINE, ready(Ok(7)), move |value| {
        hung.send(()).unwrap();
        released.recv().unwrap();
        value
    });
    let executor = thread::spawn({
        let time = time.clone();
        move || time.run_until_idle()
    });
    has_hung.recv().unwrap();
    let patient = cache.join(1);
    let caller = time.spawn(waiter.wait());
    time.advance(DEADLINE);
    assert!(caller.is_finished());
    assert_eq!(kind(time.block_on(caller)), TIMED_OUT);
    release.send(()).unwrap();
    executor.join().unwrap();
    assert_eq!(kind(time.block_on(patient.wait())), Ok(7));
}

#[test]
fn bug_d3_huge_deadlines_do_not_overflow() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    for (key, deadline) in [(1, Duration::MAX), (2, Duration::from_secs(u64::MAX))] {
        let held = gate.clone();
        let load = async move {
            held.wait().await;
            Ok(key)
        };
        let call = time.spawn(cache.lead(key).start(deadline, load, |value| value).wait());
        time.advance(Duration::from_secs(100 * 365 * 24 * 3600));
        assert!(!call.is_finished());
        gate.open();
        assert_eq!(kind(time.block_on(call)), Ok(key));
        gate.close();
    }
}

#[test]
fn bug_d1_a_deadline_of_zero_is_over_at_once() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let waiter = cache
        .lead(1)
        .start(Duration::ZERO, ready(Ok(7)), |value| value);
    assert_eq!(kind(time.block_on(waiter.wait())), TIMED_OUT);
    time.run_until_idle();
    assert_eq!(cache.flights.running(), 0);
}

#[test]
fn a_leader_that_never_starts_does_not_hold_callers_for_ever() {
    let time = Virtual::auto();
    let cache = Cache::new(&time);
    let lead = cache.lead(1);
    assert_eq!(kind(time.block_on(cache.join(1).wait())), TIMED_OUT);
    assert_eq!(
        kind(time.block_on(cache.load(1, ready(Ok(8))).wait())),
        Ok(8)
    );
    // Too late: its flight is over.
    let late = cache.start(1, lead, ready(Ok(7)));
    assert_eq!(kind(time.block_on(late.wait())), TIMED_OUT);
    time.run_until_idle();
    assert_eq!((cache.near(1), cache.flights.running()), (Some(8), 0));
}

#[test]
fn who_joins_before_the_load_starts_waits_as_long_as_the_load_may_take() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let lead = cache.lead(1);
    let joined = time.spawn(cache.join(1).wait());
    time.run_until_idle();
    let day = Duration::from_secs(24 * 3600);
    drop(lead.start(day, pending::<Answer>(), |value| value));
    time.advance(day - Duration::from_nanos(1));
    assert!(!joined.is_finished());
    time.advance(Duration::from_nanos(1));
    assert_eq!(kind(time.block_on(joined)), TIMED_OUT);
}

#[test]
fn a_load_whose_turn_comes_after_its_deadline_does_not_begin() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (begun, has_begun) = mpsc::channel();
    let waiter = cache.load(1, async move {
        begun.send(()).unwrap();
        Ok(7)
    });
    time.hand().advance(DEADLINE);
    assert_eq!(kind(time.block_on(waiter.wait())), TIMED_OUT);
    time.run_until_idle();
    assert_eq!(has_begun.try_recv(), Err(mpsc::TryRecvError::Disconnected));
}
