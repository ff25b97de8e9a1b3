//! The tasks of a virtual runtime: order, ends, panics, threads.

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use futures_lite::future::yield_now;
use larder_core::Runtime;
use larder_kit::{Gate, Virtual};

/// Counts its drops.
#[derive(Clone, Default)]
struct Drops(Arc<AtomicUsize>);

impl Drops {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    fn token(&self) -> DropToken {
        DropToken(Arc::clone(&self.0))
    }
}

struct DropToken(Arc<AtomicUsize>);

impl Drop for DropToken {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A task that holds `token` and never ends.
async fn hold(token: DropToken) {
    pending::<()>().await;
    drop(token);
}

#[test]
fn tasks_run_in_the_order_in_which_they_were_woken() {
    let time = Virtual::new();
    let order = Arc::new(Mutex::new(Vec::new()));
    for name in ["a", "b"] {
        let order = Arc::clone(&order);
        time.spawn(async move {
            for step in 0..3 {
                order.lock().unwrap().push((name, step));
                yield_now().await;
            }
        });
    }
    assert!(order.lock().unwrap().is_empty(), "nothing runs by itself");
    time.run_until_idle();
    let expected = [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)];
    assert_eq!(*order.lock().unwrap(), expected);
}

#[test]
fn a_task_gives_its_value_and_goes_on_without_anybody_waiting() {
    let time = Virtual::new();
    let gate = Gate::closed();
    let value = time.spawn(async { 7 });
    assert_eq!(time.block_on(value), 7);

    let held = gate.clone();
    drop(time.spawn(async move { held.wait().await }));
    time.run_until_idle();
    assert_eq!(time.tasks(), 1);
    gate.open();
    time.run_until_idle();
    assert_eq!(time.tasks(), 0);
}

#[test]
fn cancelling_drops_the_task_at_once() {
    let (time, drops) = (Virtual::new(), Drops::default());
    let unpolled = time.spawn(hold(drops.token()));
    unpolled.cancel();
    assert_eq!((drops.count(), time.tasks()), (1, 0));

    let polled = time.spawn(hold(drops.token()));
    time.run_until_idle();
    polled.cancel();
    assert_eq!((drops.count(), time.tasks()), (2, 0));
    time.run_until_idle();
}

#[test]
fn dropping_all_tasks_or_the_runtime_drops_each_future_once() {
    let (time, drops) = (Virtual::new(), Drops::default());
    let first = time.spawn(hold(drops.token()));
    time.spawn(hold(drops.token()));
    time.run_until_idle();
    time.drop_tasks();
    assert_eq!((drops.count(), time.tasks()), (2, 0));
    let text = catch_unwind(AssertUnwindSafe(|| time.block_on(first))).err();
    assert!(text.is_some(), "a dropped task has no value to give");

    let gate = Gate::closed();
    let (token, held) = (drops.token(), gate.clone());
    time.spawn(async move {
        held.wait().await;
        drop(token);
    });
    time.run_until_idle();
    // The gate keeps the task's waker, and that keeps no runtime alive.
    drop(time);
    assert_eq!(drops.count(), 3);
    gate.open();
}

#[test]
fn a_panicking_task_fails_whoever_runs_it_and_leaves_the_others_alone() {
    let time = Virtual::new();
    Runtime::spawn(&time, Box::pin(async { panic!("on purpose") }));
    let other = time.spawn(async { "fine" });
    let panic = catch_unwind(AssertUnwindSafe(|| time.run_until_idle()));
    let panic = panic.expect_err("the task panicked");
    assert_eq!(panic.downcast_ref(), Some(&"on purpose"));
    assert_eq!(time.block_on(other), "fine");
    assert_eq!(time.tasks(), 0);
}

#[test]
fn a_task_may_spawn_cancel_and_wake_itself() {
    let time = Virtual::new();
    let inner = time.clone();
    let outer = time.spawn(async move {
        let doomed = inner.spawn(pending::<()>());
        let child = inner.spawn(async { 1 });
        doomed.cancel();
        yield_now().await;
        child.await + inner.spawn(async { 2 }).await
    });
    assert_eq!(time.block_on(outer), 3);
    assert_eq!(time.tasks(), 0);
}

#[test]
fn a_wake_from_another_thread_is_waited_for_while_outside_is_held() {
    let time = Virtual::new();
    let gate = Gate::closed();
    let outside = time.outside();
    let opener = {
        let gate = gate.clone();
        thread::spawn(move || {
            futures_lite::future::block_on(gate.arrived(1));
            gate.open();
            drop(outside);
        })
    };
    time.block_on(gate.wait());
    opener.join().unwrap();
    let stuck = catch_unwind(AssertUnwindSafe(|| time.block_on(pending::<()>())));
    assert!(stuck.is_err(), "nobody is outside any more");
}

#[test]
fn a_task_spawned_by_another_thread_runs_here() {
    let time = Virtual::new();
    let outside = time.outside();
    let spawner = {
        let time = time.clone();
        thread::spawn(move || {
            let here = thread::current().id();
            let task = time.spawn(async move { thread::current().id() != here });
            let elsewhere = futures_lite::future::block_on(task);
            drop(outside);
            elsewhere
        })
    };
    let stuck = catch_unwind(AssertUnwindSafe(|| time.block_on(pending::<()>())));
    assert!(stuck.is_err());
    assert!(spawner.join().unwrap(), "the driver's thread ran the task");
}

#[test]
fn many_threads_wake_many_tasks_and_no_wake_is_lost() {
    const TASKS: usize = 50;
    const THREADS: usize = 4;
    let time = Virtual::new();
    let gates: Arc<Vec<Gate>> = Arc::new((0..TASKS).map(|_| Gate::closed()).collect());
    let outside = Arc::new(time.outside());
    for first in 0..THREADS {
        let (gates, outside) = (Arc::clone(&gates), Arc::clone(&outside));
        thread::spawn(move || {
            for gate in gates.iter().skip(first).step_by(THREADS) {
                futures_lite::future::block_on(gate.arrived(1));
                gate.open();
            }
            drop(outside);
        });
    }
    drop(outside);
    let waiting = gates
        .iter()
        .cloned()
        .map(|gate| async move { gate.wait().await });
    let tasks: Vec<_> = waiting.map(|task| time.spawn(task)).collect();
    time.block_on(async {
        for task in tasks {
            task.await;
        }
    });
    assert_eq!(time.tasks(), 0);
}

#[test]
fn while_one_thread_is_blocked_in_a_task_another_moves_time() {
    let time = Virtual::new();
    let (entered, is_entered) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    time.spawn(async move {
        entered.send(()).unwrap();
        released.recv().unwrap();
    });
    let driver = {
        let time = time.clone();
        thread::spawn(move || time.run_until_idle())
    };
    is_entered.recv().unwrap();
    let sleep = time.spawn(time.sleep(Duration::from_secs(5)));
    time.advance(Duration::from_secs(5));
    assert!(sleep.is_finished());
    assert_eq!(time.tasks(), 1);
    release.send(()).unwrap();
    driver.join().unwrap();
    assert_eq!(time.tasks(), 0);
}

#[test]
fn a_task_cancelled_while_another_thread_polls_it_is_dropped_there() {
    let (time, drops) = (Virtual::new(), Drops::default());
    let (entered, is_entered) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let token = drops.token();
    let task = time.spawn(async move {
        entered.send(()).unwrap();
        released.recv().unwrap();
        hold(token).await;
    });
    let driver = {
        let time = time.clone();
        thread::spawn(move || time.run_until_idle())
    };
    is_entered.recv().unwrap();
    task.cancel();
    assert_eq!((time.tasks(), drops.count()), (0, 0));
    release.send(()).unwrap();
    driver.join().unwrap();
    assert_eq!(drops.count(), 1);
}
