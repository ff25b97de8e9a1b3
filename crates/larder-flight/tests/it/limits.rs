//! How many loads run at once.

use std::future::{pending, ready};
use std::sync::Arc;

use larder_core::{BoxFuture, LoadErrorKind};
use larder_flight::{Entered, Flights, Limit, Stamps};
use larder_kit::{Gate, Virtual};

use crate::cache::{Answer, Cache, DEADLINE, failed, kind};

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

/// The permit is free before the answer is heard, whatever the answer.
#[test]
fn every_end_of_a_load_frees_its_permit() {
    let ends: [(&str, BoxFuture<'static, Answer>); 4] = [
        ("value", Box::pin(ready(Ok(7)))),
        ("error", Box::pin(ready(Err(failed("no"))))),
        ("panic", Box::pin(async { panic!("no") })),
        ("deadline", Box::pin(pending())),
    ];
    for (end, load) in ends {
        let time = Virtual::new();
        let cache = Cache::bounded(&time, 1);
        let waiter = cache.load(1, load);
        assert_eq!(cache.limit.in_use(), 1, "{end}");
        let heard = time.spawn({
            let cache = cache.clone();
            async move {
                let answer = waiter.wait().await;
                (
                    answer.is_ok(),
                    cache.limit.in_use(),
                    cache.flights.running(),
                )
            }
        });
        time.advance(DEADLINE);
        assert_eq!(time.block_on(heard), (end == "value", 0, 0), "{end}");
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
