//! Panics of the user's code: those who wait hear of them, and the key goes on.

use std::future::{Future, pending, poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use larder_core::{LoadError, LoadErrorKind};
use larder_flight::{Entered, Flights, Stamps};
use larder_kit::Virtual;

use crate::cache::{Answer, Cache, DEADLINE, kind};

const PANICKED: Result<u64, LoadErrorKind> = Err(LoadErrorKind::Panicked);

#[test]
fn bug_a3_a_panicking_load_does_not_break_its_key() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    for round in 1..=2 {
        let waiters: Vec<_> = (0..5)
            .map(|_| cache.load(1, async { panic!("no eggs") }))
            .collect();
        for waiter in waiters {
            let error = time.block_on(waiter.wait()).unwrap_err();
            assert_eq!(error.kind(), LoadErrorKind::Panicked);
            assert_eq!(error.to_string(), "the load panicked: no eggs");
        }
        assert_eq!(cache.loads(), 2 * round - 1);
        assert_eq!(
            kind(time.block_on(cache.load(2, ready(Ok(9))).wait())),
            Ok(9)
        );
    }
    assert_eq!(kind(time.block_on(cache.get(1, ready(Ok(7))))), Ok(7));
    assert_eq!(cache.flights.running(), 0);
}

#[test]
fn a_panic_in_a_later_poll_is_contained_as_well() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let load = async {
        futures_lite::future::yield_now().await;
        panic!("no eggs")
    };
    assert_eq!(kind(time.block_on(cache.load(1, load).wait())), PANICKED);
}

#[test]
fn a_panic_in_keep_is_the_answer() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let waiter = cache
        .lead(1)
        .start(DEADLINE, ready(Ok(7)), |_: u64| panic!("no room"));
    let error = time.block_on(waiter.wait()).unwrap_err();
    assert_eq!(error.to_string(), "the load panicked: no room");
    assert_eq!(cache.flights.running(), 0);
    assert_eq!(kind(time.block_on(cache.get(1, ready(Ok(7))))), Ok(7));
}

/// Panics when it is dropped, unless the thread panics already.
struct Explosive;

impl Drop for Explosive {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("dropped");
        }
    }
}

/// A load that is dropped after its end, as a future made by hand may hold things until then.
struct Holding<F>(F, Explosive);

impl<F: Future<Output = Answer> + Unpin> Future for Holding<F> {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        Pin::new(&mut self.0).poll(cx)
    }
}

#[test]
fn a_panic_in_the_drop_of_an_ended_load_is_the_answer_and_nothing_is_kept() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let waiter = cache.load(1, Holding(ready(Ok(7)), Explosive));
    let error = time.block_on(waiter.wait()).unwrap_err();
    assert_eq!(error.to_string(), "the load panicked: dropped");
    assert_eq!((cache.near(1), cache.flights.running()), (None, 0));
}

#[test]
fn a_panic_in_the_drop_of_a_load_that_timed_out_goes_no_further() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let waiter = time.spawn(cache.load(1, Holding(pending(), Explosive)).wait());
    time.advance(DEADLINE);
    assert_eq!(kind(time.block_on(waiter)), Err(LoadErrorKind::TimedOut));
    assert_eq!((cache.flights.running(), time.tasks()), (0, 0));
}

#[test]
fn a_panic_in_the_drop_of_a_late_result_goes_no_further() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let hand = time.hand();
    let load = async move {
        hand.advance(DEADLINE);
        Ok(Explosive)
    };
    let waiter = cache.lead(1).start(DEADLINE, load, |_| 7);
    assert_eq!(
        kind(time.block_on(waiter.wait())),
        Err(LoadErrorKind::TimedOut)
    );
    assert_eq!((cache.flights.running(), time.tasks()), (0, 0));
}

#[test]
fn a_panic_in_the_drop_of_a_value_that_nobody_waits_for_goes_no_further() {
    let time = Virtual::new();
    let stamps = Arc::new(Stamps::new(1));
    let flights = Flights::<u64, Explosive>::new(time.runtime(), Arc::clone(&stamps), Vec::new());
    let entered = flights.enter(&1, stamps.slot(&1), stamps.ticket(time.now()));
    let Ok(Entered::Lead(lead)) = entered else {
        panic!("nobody loads yet")
    };
    drop(lead.start(DEADLINE, ready(Ok(Explosive)), |value| value));
    time.run_until_idle();
    assert_eq!((flights.running(), time.tasks()), (0, 0));
}

#[test]
fn a_panic_whose_payload_panics_when_dropped_goes_no_further() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let load = async { std::panic::panic_any(Explosive) };
    assert_eq!(kind(time.block_on(cache.load(1, load).wait())), PANICKED);
    assert_eq!((cache.flights.running(), time.tasks()), (0, 0));
}

#[test]
fn a_leader_that_panics_before_it_starts_frees_the_key() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let lead = cache.lead(1);
    let joined = cache.join(1);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let _lead = lead;
        panic!("in between");
    }));
    assert!(panic.is_err());
    assert_eq!(kind(time.block_on(joined.wait())), PANICKED);
    assert_eq!((cache.flights.running(), cache.limit.in_use()), (0, 0));
    assert_eq!(kind(time.block_on(cache.get(1, ready(Ok(7))))), Ok(7));
}

#[test]
fn a_lead_that_is_dropped_says_so() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let lead = cache.lead(1);
    let joined = cache.join(1);
    drop(lead);
    let error = time.block_on(joined.wait()).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Refused);
    assert_eq!(
        error.to_string(),
        "the caller that was to start the load did not"
    );
}

/// A panic in one poll must not leave the thread believing that it is inside the load.
#[test]
fn after_a_panic_the_thread_is_outside_the_load() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let mut first = true;
    let load = poll_fn(move |_| {
        assert!(!std::mem::take(&mut first), "at once");
        Poll::<Result<u64, LoadError>>::Pending
    });
    assert_eq!(kind(time.block_on(cache.load(1, load).wait())), PANICKED);
    let next = cache.load(1, async {
        futures_lite::future::yield_now().await;
        Ok(7)
    });
    assert_eq!(kind(time.block_on(next.wait())), Ok(7));
}
