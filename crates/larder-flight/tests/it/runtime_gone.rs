//! Runtimes that end before the load.

use std::future::{pending, ready};
use std::sync::Arc;
use std::time::Duration;

use larder_core::{BlockingError, BoxFuture, Clock, LoadErrorKind, Runtime};
use larder_flight::{Entered, Flights, Stamps};
use larder_kit::Virtual;

use crate::cache::{Cache, kind};

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

/// A runtime whose executor is gone: what is spawned is dropped.
#[derive(Debug)]
struct Gone(Virtual);

impl Runtime for Gone {
    fn clock(&self) -> Clock {
        self.0.clock()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        drop(task);
    }

    fn blocking(
        &self,
        work: Box<dyn FnOnce() + Send>,
    ) -> BoxFuture<'static, Result<(), BlockingError>> {
        self.0.blocking(work)
    }

    fn random(&self) -> u64 {
        self.0.random()
    }
}

#[test]
fn a_runtime_that_takes_no_task_refuses_the_load() {
    let time = Virtual::new();
    let stamps = Arc::new(Stamps::new(1));
    let runtime = Arc::new(Gone(time.clone()));
    let flights = Flights::<u64, u64>::new(runtime, Arc::clone(&stamps), Vec::new());
    let call = stamps.ticket(time.now());
    let Ok(Entered::Lead(lead)) = flights.enter(&1, stamps.slot(&1), call) else {
        panic!("nobody loads yet")
    };
    let waiter = lead.start(Duration::from_secs(1), ready(Ok(7)), |value| value);
    assert_eq!(
        kind(time.block_on(waiter.wait())),
        Err(LoadErrorKind::Refused)
    );
    assert_eq!(flights.running(), 0);
}
