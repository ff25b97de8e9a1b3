//! Runtimes that end before the load.

use std::fmt;
use std::future::{pending, ready};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use larder_core::{BlockingError, BoxFuture, Clock, LoadErrorKind, Runtime};
use larder_flight::{Entered, Flights, Stamps};
use larder_kit::Virtual;

use crate::cache::{Cache, DEADLINE, kind, lock};

#[test]
fn a_runtime_that_drops_its_tasks_ends_their_flights() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let begun = cache.load(1, pending());
    time.run_until_idle();
    let not_begun = cache.load(2, ready(Ok(7)));
    time.drop_tasks();
    for waiter in [begun, not_begun] {
        let error = time.block_on(waiter.wait()).unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Refused);
        let text = "the runtime dropped the load before it ended";
        assert_eq!(error.to_string(), text);
    }
    assert_eq!((cache.flights.running(), time.sleepers()), (0, 0));
    assert_eq!(kind(time.block_on(cache.get(1, ready(Ok(7))))), Ok(7));
}

struct Explosive;

impl Drop for Explosive {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

/// An executor's end is no place for a panic: some abort the process for it.
#[test]
fn a_load_that_panics_when_the_runtime_drops_it_is_contained() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let waiter = cache.load(1, async {
        let _held = Explosive;
        pending().await
    });
    time.run_until_idle();
    time.drop_tasks();
    assert_eq!(
        kind(time.block_on(waiter.wait())),
        Err(LoadErrorKind::Refused)
    );
}

/// A runtime that runs no task: it drops what is spawned, or holds it.
#[derive(Debug)]
struct Idle {
    time: Virtual,
    holds: bool,
    held: Held,
}

#[derive(Default)]
struct Held(Mutex<Vec<BoxFuture<'static, ()>>>);

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}

impl Runtime for Idle {
    fn clock(&self) -> Clock {
        self.time.clock()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.time.sleep(duration)
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        if self.holds {
            lock(&self.held.0).push(task);
        }
    }

    fn blocking(
        &self,
        work: Box<dyn FnOnce() + Send>,
    ) -> BoxFuture<'static, Result<(), BlockingError>> {
        self.time.blocking(work)
    }

    fn random(&self) -> u64 {
        self.time.random()
    }
}

/// What the leader and one who joined before the start hear.
fn answers(holds: bool) -> [Result<u64, LoadErrorKind>; 2] {
    let time = Virtual::new();
    let stamps = Arc::new(Stamps::new(1));
    let runtime = Arc::new(Idle {
        time: time.clone(),
        holds,
        held: Held::default(),
    });
    let flights = Flights::<u64, u64>::new(runtime, Arc::clone(&stamps), Vec::new());
    let enter = || flights.enter(&1, stamps.slot(&1), stamps.ticket(time.now()));
    let (Ok(Entered::Lead(lead)), Ok(Entered::Join(joined))) = (enter(), enter()) else {
        panic!("one leads, one joins")
    };
    let joined = time.spawn(joined.wait());
    time.run_until_idle();
    let led = time.spawn(lead.start(DEADLINE, ready(Ok(7)), |value| value).wait());
    time.advance(DEADLINE);
    assert!(led.is_finished() && joined.is_finished());
    assert_eq!(flights.running(), usize::from(holds));
    [led, joined].map(|caller| kind(time.block_on(caller)))
}

#[test]
fn a_runtime_that_drops_what_it_is_given_refuses_the_load() {
    assert_eq!(answers(false), [Err(LoadErrorKind::Refused); 2]);
}

#[test]
fn a_runtime_that_never_runs_the_load_holds_nobody_past_the_deadline() {
    assert_eq!(answers(true), [Err(LoadErrorKind::TimedOut); 2]);
}
