//! Virtual time: what moves it, what fires when, and what is left behind.

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_lite::future::{or, poll_once, yield_now};
use larder_core::{Moment, Runtime};
use larder_kit::{Gate, Virtual};

const SECOND: Duration = Duration::from_secs(1);

/// Notes what happened when, in seconds since the first note could be taken.
#[derive(Clone)]
struct Log {
    time: Virtual,
    start: Moment,
    notes: Arc<Mutex<Vec<(u64, &'static str)>>>,
}

impl Log {
    fn new(time: &Virtual) -> Self {
        Self {
            time: time.clone(),
            start: time.now(),
            notes: Arc::default(),
        }
    }

    fn note(&self, what: &'static str) {
        let at = self.time.now().since(self.start).as_secs();
        self.notes
            .lock()
            .expect("no test panics here")
            .push((at, what));
    }

    /// Spawns a task that notes `what` after `seconds`.
    fn note_after(&self, seconds: u64, what: &'static str) {
        let log = self.clone();
        self.time.spawn(async move {
            log.time.sleep(SECOND * seconds as u32).await;
            log.note(what);
        });
    }

    fn notes(&self) -> Vec<(u64, &'static str)> {
        self.notes.lock().expect("no test panics here").clone()
    }
}

/// The text of the panic that `block_on(future)` ends with.
fn stuck<T>(time: &Virtual, future: impl Future<Output = T>) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| time.block_on(future)));
    let panic = panic.err().expect("it is stuck");
    panic.downcast_ref::<String>().expect("a text").clone()
}

#[test]
fn timers_fire_in_their_order_at_their_own_moments() {
    let time = Virtual::new();
    let log = Log::new(&time);
    log.note_after(3, "c");
    log.note_after(1, "a");
    log.note_after(2, "b");
    time.advance(SECOND * 10);
    assert_eq!(log.notes(), [(1, "a"), (2, "b"), (3, "c")]);
    assert_eq!(time.now().since(log.start), SECOND * 10);
}

#[test]
fn timers_of_one_moment_fire_in_the_order_of_their_first_poll() {
    let time = Virtual::new();
    let log = Log::new(&time);
    for what in ["a", "b", "c", "d"] {
        log.note_after(1, what);
    }
    time.advance(SECOND);
    assert_eq!(log.notes(), [(1, "a"), (1, "b"), (1, "c"), (1, "d")]);
}

#[test]
fn a_timer_set_while_time_moves_still_fires_in_its_place() {
    let time = Virtual::new();
    let log = Log::new(&time);
    let chain = log.clone();
    time.spawn(async move {
        for what in ["first", "second", "third"] {
            chain.time.sleep(SECOND * 2).await;
            chain.note(what);
        }
    });
    log.note_after(3, "between");
    time.advance(SECOND * 5);
    assert_eq!(log.notes(), [(2, "first"), (3, "between"), (4, "second")]);
    time.advance(SECOND);
    assert_eq!(log.notes().last(), Some(&(6, "third")));
}

#[test]
fn tasks_run_to_idle_between_two_timers() {
    let time = Virtual::new();
    let log = Log::new(&time);
    let slow = log.clone();
    time.spawn(async move {
        slow.time.sleep(SECOND).await;
        for _ in 0..10 {
            yield_now().await;
        }
        slow.note("ten yields later");
    });
    log.note_after(1, "same moment, later timer");
    time.advance(SECOND);
    assert_eq!(log.notes()[0], (1, "ten yields later"));
}

#[test]
fn block_on_moves_no_time_and_names_the_next_timer_when_stuck() {
    let time = Virtual::new();
    let start = time.now();
    let text = stuck(&time, time.sleep(SECOND * 7));
    assert_eq!(
        text,
        "stuck: 0 tasks wait, and time stands still; the next timer is due in 7s"
    );
    time.spawn(pending::<()>());
    let text = stuck(&time, pending::<()>());
    assert_eq!(text, "stuck: 1 tasks wait, and no timer is set");
    assert_eq!(time.now(), start);
}

#[test]
fn an_automatic_runtime_moves_to_the_next_timer_and_no_further() {
    let time = Virtual::auto();
    let start = time.now();
    time.block_on(or(time.sleep(SECOND * 60), time.sleep(SECOND * 5)));
    assert_eq!(time.now().since(start), SECOND * 5);
    assert_eq!(time.sleepers(), 0);
    let text = stuck(&time, pending::<()>());
    assert_eq!(text, "stuck: 0 tasks wait, and no timer is set");
}

#[test]
fn a_sleep_counts_from_its_making_and_dropped_ones_leave_nothing() {
    let time = Virtual::new();
    let mut sleep = time.sleep(SECOND * 3);
    time.advance(SECOND * 2);
    assert_eq!(time.block_on(poll_once(&mut sleep)), None);
    assert_eq!(time.sleepers(), 1);
    time.advance(SECOND);
    time.block_on(sleep);
    assert_eq!(time.sleepers(), 0);

    let mut dropped = time.sleep(SECOND);
    assert_eq!(time.block_on(poll_once(&mut dropped)), None);
    drop(dropped);
    assert_eq!(time.sleepers(), 0);
    time.advance(SECOND * 2);
}

#[test]
fn sleeps_of_nothing_end_at_once_and_endless_ones_never() {
    let time = Virtual::new();
    time.block_on(time.sleep(Duration::ZERO));
    let endless = time.spawn(time.sleep(Duration::MAX));
    time.advance(Duration::from_secs(1 << 33));
    assert!(!endless.is_finished());
    assert_eq!(time.sleepers(), 1);
}

#[test]
fn a_jump_of_the_hand_fires_what_was_due_afterwards() {
    let time = Virtual::new();
    let log = Log::new(&time);
    log.note_after(1, "a");
    log.note_after(2, "b");
    time.run_until_idle();
    time.hand().advance(SECOND * 9);
    assert!(log.notes().is_empty());
    time.run_until_idle();
    assert_eq!(log.notes(), [(9, "a"), (9, "b")]);
}

#[test]
fn a_sleep_outlives_its_runtime_without_ending() {
    let time = Virtual::new();
    let mut sleep = time.sleep(SECOND);
    assert_eq!(time.block_on(poll_once(&mut sleep)), None);
    drop(time);
    assert_eq!(futures_lite::future::block_on(poll_once(&mut sleep)), None);
}

#[test]
fn two_runs_of_one_program_are_the_same_run() {
    let run = || {
        let time = Virtual::seeded(42);
        let log = Log::new(&time);
        for what in ["a", "b", "c", "d", "e"] {
            log.note_after(time.random() % 3, what);
        }
        time.advance(SECOND * 3);
        log.notes()
    };
    assert_eq!(run().len(), 5);
    assert_eq!(run(), run());
    let first = |seed| Virtual::seeded(seed).random();
    assert_ne!(first(1), first(2));
    assert_eq!(first(0), Virtual::new().random());
}

#[test]
fn a_closed_gate_holds_until_it_is_opened() {
    let time = Virtual::new();
    let gate = Gate::closed();
    let at_gate = |gate: Gate| async move { gate.wait().await };
    let held = [0; 3].map(|_| time.spawn(at_gate(gate.clone())));
    time.block_on(gate.arrived(3));
    assert_eq!(gate.waiting(), 3);
    assert!(stuck(&time, gate.arrived(4)).starts_with("stuck"));
    let [leaving, left, right] = held;
    leaving.cancel();
    assert_eq!(gate.waiting(), 2);
    gate.open();
    time.block_on(async { (left.await, right.await, gate.wait().await) });
    gate.close();
    assert!(stuck(&time, gate.wait()).starts_with("stuck"));
}
