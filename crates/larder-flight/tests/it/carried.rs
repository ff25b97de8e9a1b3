//! Loads that those who wait for them poll.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use larder_core::LoadErrorKind;
use larder_flight::{Away, Waiter};
use larder_kit::{Gate, Virtual};

use crate::cache::{Answer, Cache, DEADLINE, kind};

/// A load of key 1 that is carried, and ends with 7 when the gate is open.
fn carry(cache: &Cache, gate: &Gate) -> Waiter<u64> {
    let gate = gate.clone();
    let load = |_: Away<u64>| async move {
        gate.wait().await;
        Ok(7)
    };
    cache.lead(1).carry(DEADLINE, load, |value| value)
}

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn poll<F: Future>(future: std::pin::Pin<&mut F>, woken: &Arc<Woken>) -> Poll<F::Output> {
    let waker = Waker::from(Arc::clone(woken));
    future.poll(&mut Context::from_waker(&waker))
}

fn assert_rest(cache: &Cache) {
    assert_eq!((cache.flights.running(), cache.limit.in_use()), (0, 0));
}

#[test]
fn a_load_that_only_its_leader_waits_for_ends_without_the_runtime() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let mut wait = pin!(carry(&cache, &gate).wait());
    let woken = Arc::default();
    assert!(poll(wait.as_mut(), &woken).is_pending());
    gate.open();
    assert_eq!(woken.0.load(Ordering::SeqCst), 1);
    let Poll::Ready(answer) = poll(wait.as_mut(), &woken) else {
        panic!("the load is not polled by its leader")
    };
    assert_eq!(kind(answer), Ok(7));
    assert_rest(&cache);
}

#[test]
fn who_joins_needs_no_leader_that_polls() {
    let time = Virtual::new();
    for polled in [false, true] {
        let (cache, gate) = (Cache::new(&time), Gate::closed());
        let mut leader = pin!(carry(&cache, &gate).wait());
        if polled {
            assert!(poll(leader.as_mut(), &Arc::default()).is_pending());
        }
        let mut second = pin!(cache.join(1).wait());
        let woken = Arc::default();
        assert!(poll(second.as_mut(), &woken).is_pending());
        gate.open();
        assert_eq!(woken.0.load(Ordering::SeqCst), 1, "nobody told who joined");
        let Poll::Ready(answer) = poll(second, &woken) else {
            panic!("who joined depends on the leader")
        };
        assert_eq!(kind(answer), Ok(7));
        assert_eq!(kind(time.block_on(leader)), Ok(7));
        assert_rest(&cache);
    }
}

/// The leader is polled on this thread while another polls the load for it.
#[test]
fn a_leader_hears_of_the_end_that_another_has_polled() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (began, beginning) = mpsc::channel();
    let (go, gone) = mpsc::channel::<()>();
    let load = |_: Away<u64>| async move {
        began.send(()).unwrap();
        gone.recv().unwrap();
        Ok(7)
    };
    let mut leader = pin!(cache.lead(1).carry(DEADLINE, load, |value| value).wait());
    let (second, woken) = (cache.join(1), Arc::default());
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut second = pin!(second.wait());
            poll(second.as_mut(), &Arc::default())
        });
        beginning.recv().unwrap();
        assert!(poll(leader.as_mut(), &woken).is_pending());
        go.send(()).unwrap();
        assert!(other.join().unwrap().is_ready());
    });
    assert_eq!(woken.0.load(Ordering::SeqCst), 1);
    assert!(matches!(poll(leader, &woken), Poll::Ready(Ok(7))));
    assert_rest(&cache);
}

#[test]
fn l2_callers_that_leave_take_no_load_along() {
    let time = Virtual::new();
    for polled in [false, true] {
        let (cache, gate) = (Cache::new(&time), Gate::closed());
        let ended = Arc::new(AtomicBool::new(false));
        let (held, ends) = (gate.clone(), Arc::clone(&ended));
        let load = |_: Away<u64>| async move {
            held.wait().await;
            ends.store(true, Ordering::SeqCst);
            Ok(7)
        };
        let mut leader = Box::pin(cache.lead(1).carry(DEADLINE, load, |value| value).wait());
        if polled {
            assert!(poll(leader.as_mut(), &Arc::default()).is_pending());
        }
        let second = cache.join(1);
        drop(leader);
        assert_eq!(time.tasks(), 0, "there is one who waits");
        drop(second);
        gate.open();
        time.run_until_idle();
        assert!(ended.load(Ordering::SeqCst), "polled: {polled}");
        assert_rest(&cache);
    }
}

/// It was told of, and then left: who joined has not been told, and needs not be.
#[test]
fn a_wake_is_not_lost_with_a_leader_that_leaves() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let mut leader = Box::pin(carry(&cache, &gate).wait());
    assert!(poll(leader.as_mut(), &Arc::default()).is_pending());
    gate.open();
    let second = cache.join(1);
    drop(leader);
    let mut second = pin!(second.wait());
    assert!(poll(second.as_mut(), &Arc::default()).is_ready());
    assert_rest(&cache);
}

#[test]
fn a_load_that_ends_with_its_callers_ends_with_its_leader() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let ended = Arc::new(AtomicBool::new(false));
    let (held, ends) = (gate.clone(), Arc::clone(&ended));
    let lead = cache.lead(1);
    lead.end_with_callers();
    let load = |_: Away<u64>| async move {
        held.wait().await;
        ends.store(true, Ordering::SeqCst);
        Ok(7)
    };
    let mut leader = Box::pin(lead.carry(DEADLINE, load, |value| value).wait());
    assert!(poll(leader.as_mut(), &Arc::default()).is_pending());
    drop(leader);
    time.run_until_idle();
    gate.open();
    time.run_until_idle();
    assert!(!ended.load(Ordering::SeqCst), "it went on with no caller");
    assert_rest(&cache);
}

#[test]
fn a_load_goes_away_when_it_says_so_and_stays_there() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let at = Arc::new(AtomicUsize::new(0));
    let reached = Arc::clone(&at);
    let load = |away: Away<u64>| async move {
        reached.store(1, Ordering::SeqCst);
        away.go().await;
        reached.store(2, Ordering::SeqCst);
        away.go().await;
        Ok(7)
    };
    let mut leader = pin!(cache.lead(1).carry(DEADLINE, load, |value| value).wait());
    let woken = Arc::default();
    for _ in 0..2 {
        assert!(poll(leader.as_mut(), &woken).is_pending());
        assert_eq!(at.load(Ordering::SeqCst), 1, "the leader went on with it");
    }
    time.run_until_idle();
    assert_eq!(at.load(Ordering::SeqCst), 2);
    assert_eq!(woken.0.load(Ordering::SeqCst), 1);
    assert_eq!(kind(time.block_on(leader)), Ok(7));
    assert_rest(&cache);
}

#[test]
fn a_carried_load_ends_at_its_deadline_and_by_its_panic() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let leader = time.spawn(carry(&cache, &Gate::closed()).wait());
    time.advance(DEADLINE - Duration::from_nanos(1));
    assert!(!leader.is_finished());
    time.advance(Duration::from_nanos(1));
    assert!(leader.is_finished());
    assert_eq!(kind(time.block_on(leader)), Err(LoadErrorKind::TimedOut));
    let load = |_: Away<u64>| async { panic!("out of eggs") };
    let leader = cache.lead(1).carry(DEADLINE, load, |value: u64| value);
    let answer = time.block_on(leader.wait());
    assert_eq!(kind(answer), Err(LoadErrorKind::Panicked));
    assert_rest(&cache);
}

/// Two loads that wait for each other, both polled by their leaders.
#[test]
fn a_circle_of_carried_loads_is_found() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let other = cache.clone();
    let outer = |_: Away<u64>| async move {
        let again = other.clone();
        let inner = |_: Away<u64>| async move { again.join(1).wait().await };
        other
            .lead(2)
            .carry(DEADLINE, inner, |value| value)
            .wait()
            .await
    };
    let leader = cache.lead(1).carry(DEADLINE, outer, |value| value);
    let answer: Answer = time.block_on(leader.wait());
    assert_eq!(kind(answer), Err(LoadErrorKind::Recursive));
    time.run_until_idle();
    assert_rest(&cache);
}

/// A leader that moves from task to task is woken where it was polled last.
#[test]
fn a_leader_is_told_where_it_was_polled_last() {
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let mut leader = pin!(carry(&cache, &gate).wait());
    let (first, last) = (Arc::<Woken>::default(), Arc::<Woken>::default());
    assert!(poll(leader.as_mut(), &first).is_pending());
    assert!(poll(leader.as_mut(), &last).is_pending());
    gate.open();
    let woken = [&first, &last].map(|woken| woken.0.load(Ordering::SeqCst));
    assert_eq!(woken, [0, 1]);
    assert!(poll(leader, &last).is_ready());
    assert_rest(&cache);
}

/// The task of the wait that is told no more is dropped with its waker, and waits itself.
#[test]
fn a_waker_that_is_the_end_of_another_wait_holds_nothing_up() {
    struct Holds(#[expect(dead_code, reason = "it is dropped")] Mutex<Option<Waiter<u64>>>);
    impl Wake for Holds {
        fn wake(self: Arc<Self>) {}
    }
    let time = Virtual::new();
    let (cache, gate) = (Cache::new(&time), Gate::closed());
    let mut leader = pin!(carry(&cache, &gate).wait());
    let holds = Waker::from(Arc::new(Holds(Mutex::new(Some(cache.join(1))))));
    let polled = leader.as_mut().poll(&mut Context::from_waker(&holds));
    assert!(polled.is_pending());
    drop(holds);
    assert!(poll(leader.as_mut(), &Arc::default()).is_pending());
    gate.open();
    assert!(poll(leader, &Arc::default()).is_ready());
    assert_rest(&cache);
}
