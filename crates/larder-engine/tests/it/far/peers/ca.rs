//! What cashews' suite checks beside the rest.

use std::io;

use larder_core::LoadErrorKind;
use larder_engine::{CacheBuilder, CallOptions, Change as Done, Got, observe};
use larder_kit::Fault;

use crate::far::rig::Pair;
use crate::support::{SECOND, Source, TTL, larder, numbers};
use larder_kit::Virtual;

/// `safe`: a store that is down is as if there were none. `unsafe`: its error is the caller's.
#[test]
fn ca_a_store_that_is_down_is_hidden_or_told_as_the_cache_says() {
    for fault in [Fault::NotSent, Fault::Lost, Fault::Done] {
        for tell in [false, true] {
            let pair = Pair::of(if tell {
                |cache: CacheBuilder<u64, u64>| cache.far().raise_far_errors(true)
            } else {
                CacheBuilder::far
            });
            pair.one.failing.die(fault);
            let call = pair.source.fetch(&pair.one.numbers, 1);
            let answer = pair.time.block_on(call);
            let case = format!("{fault:?}, told {tell}");
            match answer {
                Ok(fetched) => assert_eq!((fetched.value, tell), (1, false), "{case}"),
                Err(error) => {
                    assert_eq!((error.kind(), tell), (LoadErrorKind::Far, true), "{case}");
                }
            }
            assert_eq!(pair.source.calls(), usize::from(!tell), "{case}");
            let done = pair.time.block_on(pair.one.numbers.invalidate(&1));
            assert_eq!(
                done,
                Done::Queued,
                "{case}: a change says so and fails nobody"
            );
        }
    }
}

/// A transaction is a ticket: nothing is there before its commit, nothing is after it was given up,
/// and one that another change has overtaken does not win.
#[test]
fn ca_sp66_a_transaction_shows_at_its_commit_or_never() {
    let pair = Pair::new();
    let (one, two) = (&pair.one.numbers, &pair.two.numbers);
    pair.time.block_on(async {
        one.put(&1, 1).await;
        let begun = one.ticket(&1).await;
        assert_eq!(two.get(&1).await.value().as_deref(), Some(&1));
        assert_eq!(one.put_with(begun, 2).await, Done::Done);
        assert_eq!(two.get(&1).await.value().as_deref(), Some(&2));
        drop(one.ticket(&1).await);
        assert_eq!(one.get(&1).await.value().as_deref(), Some(&2));
        let overtaken = one.ticket(&1).await;
        two.put(&1, 3).await;
        one.put_with(overtaken, 4).await;
        for cache in [one, two] {
            assert_eq!(cache.get(&1).await, Got::Unknown, "the source is asked");
        }
    });
}

#[test]
fn ca_errors_may_be_kept_and_values_not() {
    let time = Virtual::new();
    let cache = numbers(&time).error_ttl(SECOND * 5).build().unwrap();
    let options = || CallOptions::new().ttl(std::time::Duration::ZERO);
    let source = Source::ready();
    let fails = |source: &Source| {
        let source = source.clone();
        move || async move {
            source.read().await;
            Err::<u64, _>(io::Error::other("down"))
        }
    };
    time.block_on(async {
        for _ in 0..3 {
            let answer = cache.get_or_load_with(&1, options(), fails(&source)).await;
            assert!(answer.unwrap_err().downcast_ref::<io::Error>().is_some());
        }
        assert_eq!(source.calls(), 1, "the error is kept");
        for calls in 2..5 {
            let read = source.clone();
            let load = move || read.read();
            cache.get_or_load_with(&2, options(), load).await.unwrap();
            assert_eq!(source.calls(), calls, "the value is not");
        }
    });
    time.advance(SECOND * 5);
    time.block_on(async {
        let _ = cache.get_or_load_with(&1, options(), fails(&source)).await;
    });
    assert_eq!(source.calls(), 5, "its time is over");
}

/// Where what is composed of cached calls came from: seen at each level, also that of a load in the
/// caller's task.
#[test]
fn ca_who_observes_sees_where_each_of_nested_calls_came_from() {
    let time = Virtual::new();
    let larder = larder(&time);
    let cache = |name| larder.cache::<u64, u64>(name).ttl(TTL).build().unwrap();
    let (page, part) = (cache("page"), cache("part"));
    let compose = || async {
        let load = || async {
            let one = part.get_or_load(&1, || async { 1 }).await.unwrap();
            one + part.get_or_load(&2, || async { 2 }).await.unwrap()
        };
        page.get_or_load_scoped(&1, load).await.unwrap()
    };
    let seen = |put: bool| {
        let task = observe(async {
            if put {
                page.invalidate(&1).await;
                part.invalidate(&2).await;
            }
            compose().await
        });
        let (sum, seen) = time.block_on(task);
        assert_eq!(sum, 3);
        let line = |one: &larder_engine::Observation| {
            format!("{} {}", one.cache(), one.outcome().detail())
        };
        seen.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(seen(false), ["part loaded", "part loaded", "page loaded"]);
    assert_eq!(seen(false), ["page near"]);
    assert_eq!(seen(true), ["part near", "part loaded", "page loaded"]);
}
