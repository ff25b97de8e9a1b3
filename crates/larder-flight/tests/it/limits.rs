//! How many loads run at once.

use std::future::{Future, pending, ready};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

use larder_core::{BoxFuture, LoadErrorKind};
use larder_flight::{Entered, Flights, Limit, Stamps};
use larder_kit::{Gate, Virtual};

use crate::cache::{Answer, Cache, DEADLINE, failed, kind, lock};

#[test]
fn a_limit_gives_as_many_permits_as_it_has() {
    let limit = Arc::new(Limit::new(2));
    let permits = [limit.try_acquire(), limit.try_acquire()];
    assert!(permits.iter().all(Option::is_some));
    assert!(limit.try_acquire().is_none());
    assert_eq!((limit.max(), limit.in_use()), (2, 2));
    drop(permits);
    assert_eq!(limit.in_use(), 0);
    assert!(Arc::new(Limit::new(0)).try_acquire().is_none());
}

#[test]
fn over_the_limit_who_would_lead_is_refused_and_who_joins_is_not() {
    let time = Virtual::new();
    let cache = Cache::bounded(&time, 1);
    let gate = Gate::closed();
    let held = gate.clone();
    let leader = cache.load(1, async move {
        held.wait().await;
        Ok(7)
    });
    let refused = cache.enter(2, cache.ticket(), ready(Ok(8)));
    let error = refused.unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Refused);
    assert_eq!(error.to_string(), "1 loads are running, and no more may");
    let joined = cache.join(1);
    gate.open();
    assert_eq!(kind(time.block_on(leader.wait())), Ok(7));
    assert_eq!(kind(time.block_on(joined.wait())), Ok(7));
    assert_eq!(kind(time.block_on(cache.get(2, ready(Ok(8))))), Ok(8));
}

#[test]
fn a_refusal_by_one_limit_gives_the_permits_of_the_others_back() {
    let time = Virtual::new();
    let stamps = Arc::new(Stamps::new(1));
    let [wide, narrow] = [9, 0].map(|max| Arc::new(Limit::new(max)));
    let limits = vec![Arc::clone(&wide), narrow];
    let flights = Flights::<u64, u64>::new(time.runtime(), Arc::clone(&stamps), limits);
    let refused = flights.enter(&1, stamps.slot(&1), stamps.ticket(time.now()));
    assert!(refused.is_err());
    assert_eq!((wide.in_use(), flights.running()), (0, 0));
}

#[test]
fn two_caches_share_a_limit() {
    let time = Virtual::new();
    let stamps = Arc::new(Stamps::new(1));
    let shared = Arc::new(Limit::new(1));
    let make = || {
        let limits = vec![Arc::clone(&shared)];
        Flights::<u64, u64>::new(time.runtime(), Arc::clone(&stamps), limits)
    };
    let (one, other) = (make(), make());
    let enter =
        |flights: &Flights<u64, u64>| flights.enter(&1, stamps.slot(&1), stamps.ticket(time.now()));
    let lead = enter(&one);
    assert!(matches!(lead, Ok(Entered::Lead(_))));
    assert!(enter(&other).is_err());
    drop(lead);
    assert!(enter(&other).is_ok());
}

/// What a caller finds when it is woken, before the one who wakes it goes on.
struct Spy {
    cache: Cache,
    found: Mutex<Option<(usize, usize, Option<u64>)>>,
}

impl Wake for Spy {
    fn wake(self: Arc<Self>) {
        let cache = &self.cache;
        let now = (cache.limit.in_use(), cache.flights.running(), cache.near(1));
        lock(&self.found).get_or_insert(now);
    }
}

#[test]
fn every_end_of_a_load_frees_its_permit_before_it_is_heard() {
    let ends: [(&str, BoxFuture<'static, Answer>); 4] = [
        ("value", Box::pin(ready(Ok(7)))),
        ("error", Box::pin(ready(Err(failed("no"))))),
        ("panic", Box::pin(async { panic!("no") })),
        ("deadline", Box::pin(pending())),
    ];
    for (end, load) in ends {
        let time = Virtual::new();
        let cache = Cache::bounded(&time, 1);
        let mut heard = pin!(cache.load(1, load).wait());
        assert_eq!(cache.limit.in_use(), 1, "{end}");
        // The task's timer comes before the caller's, so that it is the task that ends the load.
        if end == "deadline" {
            time.run_until_idle();
        }
        let spy = Arc::new(Spy {
            cache,
            found: Mutex::default(),
        });
        let waker = Waker::from(Arc::clone(&spy));
        assert!(
            heard
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
        );
        time.advance(DEADLINE);
        let kept = (end == "value").then_some(7);
        assert_eq!(*lock(&spy.found), Some((0, 0, kept)), "{end}");
    }
}

#[test]
fn a_lead_that_is_settled_or_dropped_frees_its_permit() {
    let time = Virtual::new();
    let cache = Cache::bounded(&time, 1);
    cache.lead(1).settle(7);
    assert_eq!(cache.limit.in_use(), 0);
    drop(cache.lead(1));
    assert_eq!((cache.limit.in_use(), cache.flights.running()), (0, 0));
}

#[test]
fn tasks_dropped_by_the_runtime_free_their_permits() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let waiters: Vec<_> = (0..5).map(|key| cache.load(key, pending())).collect();
    assert_eq!(cache.limit.in_use(), waiters.len());
    time.drop_tasks();
    assert_eq!((cache.limit.in_use(), cache.flights.running()), (0, 0));
}
