//! What serves as a fallback, and what never does.

use std::time::Duration;

use larder_core::LoadErrorKind::{Panicked, Refused, TimedOut};
use larder_engine::{Got, Loaded};
use larder_kit::{Gate, Step, Virtual};

use super::rig::{LONG, Rig, THROTTLE, TTL, WINDOW, kind, says};
use crate::support::{INSTANT, SECOND, begin, larder};

#[test]
fn fc11_without_a_window_the_error_is_the_answer() {
    let time = Virtual::new();
    let cache = larder(&time).cache("texts").ttl(TTL).build().unwrap();
    let loader = larder_kit::Loader::new(time.runtime());
    let rig = Rig {
        time,
        cache,
        loader,
    };
    rig.aged("old");
    rig.loader.then(Step::error("down"));
    assert!(says(&rig.fetch().unwrap_err(), "down"));
}

#[test]
fn bug_b8_what_was_invalidated_never_comes_back_as_a_fallback() {
    for how in ["key", "tag", "clear", "put"] {
        for (step, error) in [
            (Step::error("down"), None),
            (Step::panic("down"), Some(Panicked)),
            (Step::never(), Some(TimedOut)),
        ] {
            let rig = Rig::new();
            let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
            rig.loader.then(Step::value("old"));
            let options = larder_engine::CallOptions::new().tag("t");
            let first = async move {
                let load = move || loader.call(1);
                cache.get_or_load_with(&1, options, load).await
            };
            rig.time.block_on(first).unwrap();
            rig.time.hand().advance(TTL);
            rig.time.block_on(async {
                match how {
                    "key" => rig.cache.invalidate(&1).await,
                    "tag" => rig.cache.invalidate_tag("t").await,
                    "clear" => rig.cache.clear().await,
                    _ => rig.cache.put(&1, None::<String>).await,
                }
            });
            if how == "put" {
                rig.time.block_on(rig.cache.invalidate(&1));
            }
            rig.loader.then(step);
            let call = rig.time.spawn(rig.call());
            rig.time.advance(LONG);
            let answer = rig.time.block_on(call).unwrap_err();
            assert_eq!(error.unwrap_or(answer.kind()), answer.kind(), "{how}");
        }
    }
}

/// The old value was at hand when the call began, and is not any more when its load fails.
#[test]
fn bug_b8_a_fallback_is_looked_at_when_it_is_used() {
    let rig = Rig::with(|cache| cache.soft(SECOND * 20));
    rig.aged("old");
    let gate = Gate::closed();
    rig.loader.then(Step::error("down").at(&gate));
    let mut call = Box::pin(rig.call());
    begin(&rig.time, &mut call);
    rig.time.run_until_idle();
    rig.time.block_on(rig.cache.invalidate(&1));
    gate.open();
    assert!(says(&rig.time.block_on(call).unwrap_err(), "down"));
}

#[test]
fn i3_what_is_expired_is_not_fresh_and_serves_where_a_load_fails() {
    for (step, ends, detail) in [
        (Step::error("down"), Duration::ZERO, "stale-error"),
        (Step::panic("down"), Duration::ZERO, "stale-error"),
        (Step::never(), SECOND * 30, "stale-timeout"),
    ] {
        let rig = Rig::new();
        rig.loader.then(Step::value("old"));
        rig.said();
        rig.time.block_on(rig.cache.expire(&1));
        assert_eq!(rig.time.block_on(rig.cache.get(&1)), Got::Unknown);
        rig.loader.then(step);
        let call = rig.time.spawn(rig.call());
        rig.time.advance(ends);
        let fetched = rig.time.block_on(call).unwrap();
        assert_eq!((fetched.outcome.detail(), &*fetched.value), (detail, "old"));
        assert_eq!(rig.said().0, "stale-error", "the source is left alone");
        rig.time.hand().advance(THROTTLE);
        rig.loader.then(Step::value("new"));
        assert_eq!(rig.said(), ("loaded", "new".into()));
    }
}

/// Nobody gets it at once: it was expired because it is known to be old.
#[test]
fn i3_what_is_expired_is_waited_for() {
    let rig = Rig::new();
    rig.loader.then(Step::value("old"));
    rig.said();
    rig.time.block_on(rig.cache.expire(&1));
    rig.loader.then(Step::value("new"));
    assert_eq!(rig.said(), ("loaded", "new".into()));
    assert_eq!(rig.said(), ("near", "new".into()));
}

/// The value was read before it was expired: who waited for it may have it, and nobody after.
#[test]
fn i3_a_load_that_an_expire_overtakes_is_not_kept() {
    let rig = Rig::new();
    let gate = Gate::closed();
    rig.loader.then(Step::value("old").at(&gate));
    let mut call = Box::pin(rig.call());
    begin(&rig.time, &mut call);
    rig.time.run_until_idle();
    rig.time.block_on(rig.cache.expire(&1));
    let mut later = Box::pin(rig.call());
    rig.loader.then(Step::value("new"));
    let fetched = rig.time.block_on(&mut later).unwrap();
    assert_eq!(fetched.value, "new", "it does not join what is older");
    gate.open();
    assert_eq!(rig.time.block_on(call).unwrap().value, "old");
    assert_eq!(rig.said(), ("near", "new".into()));
}

#[test]
fn i3_an_expire_in_a_cache_without_a_window_invalidates() {
    let time = Virtual::new();
    let cache = larder(&time).cache("texts").ttl(TTL).build().unwrap();
    let loader = larder_kit::Loader::new(time.runtime());
    let rig = Rig {
        time,
        cache,
        loader,
    };
    rig.loader.then(Step::value("old"));
    rig.said();
    rig.time.block_on(rig.cache.expire(&1));
    rig.loader.then(Step::error("down"));
    assert!(says(&rig.fetch().unwrap_err(), "down"));
}

#[test]
fn i3_an_invalidation_after_an_expire_leaves_no_fallback() {
    for expire_first in [true, false] {
        let rig = Rig::new();
        rig.loader.then(Step::value("old"));
        rig.said();
        if expire_first {
            rig.time.block_on(rig.cache.expire(&1));
        }
        rig.time.block_on(rig.cache.invalidate(&1));
        rig.time.block_on(rig.cache.expire(&1));
        rig.loader.then(Step::error("down"));
        assert!(says(&rig.fetch().unwrap_err(), "down"));
    }
}

#[test]
fn l3_over_the_bound_it_is_the_old_value_or_a_refusal() {
    let rig = Rig::with(|cache| cache.max_loads(1));
    rig.loader.then(Step::value("old"));
    rig.said();
    rig.time.block_on(rig.cache.expire(&1));
    let mut other = Box::pin(rig.cache.get_or_load(&2, std::future::pending::<String>));
    begin(&rig.time, &mut other);
    assert_eq!(rig.said(), ("stale-refused", "old".into()));
    rig.time.block_on(rig.cache.invalidate(&1));
    assert_eq!(kind(rig.fetch()), Refused);
}

#[test]
fn fc17_a_fresh_value_is_preferred_to_the_old_one() {
    let rig = Rig::with(|cache| cache.soft(SECOND));
    rig.aged("old");
    rig.loader.then(Step::value("new"));
    assert_eq!(rig.said(), ("loaded", "new".into()));
}

#[test]
fn l2_a_load_that_borrows_is_waited_for_and_falls_back() {
    let rig = Rig::new();
    rig.aged("old");
    let scoped = |step: Step| {
        rig.loader.then(step);
        let load = rig.cache.get_or_load_scoped(&1, || rig.loader.call(1));
        rig.time.block_on(load)
    };
    assert_eq!(scoped(Step::error("down")).unwrap(), "old");
    rig.time.hand().advance(THROTTLE);
    assert_eq!(scoped(Step::value("new")).unwrap(), "new");
    rig.time.hand().advance(TTL + WINDOW);
    assert!(says(&scoped(Step::error("down")).unwrap_err(), "down"));
}

#[test]
fn fc12_a_batch_is_given_what_is_old_where_its_load_fails() {
    let rig = Rig::new();
    rig.aged("old");
    let answers = |fails: bool| {
        let load = move |_: Vec<u64>| async move {
            if fails {
                return Err("down");
            }
            Ok(vec![(1, "new".to_owned()), (2, "two".to_owned())])
        };
        let keys = [1, 2];
        let options = larder_engine::CallOptions::new();
        let batch = rig.cache.fetch_many(&keys, options, load);
        let answers = rig.time.block_on(batch).into_iter();
        let detail = |answer: Result<larder_engine::Fetched<_>, larder_core::LoadError>| {
            answer.map_or("error", |fetched| fetched.outcome.detail())
        };
        answers.map(detail).collect::<Vec<_>>()
    };
    assert_eq!(answers(true), ["stale-error", "error"]);
    assert_eq!(answers(true), ["stale-error", "error"], "left alone");
    rig.time.hand().advance(THROTTLE + INSTANT);
    assert_eq!(answers(false), ["loaded", "loaded"]);
}

/// To fail is to return an error; nothing has to be thrown.
#[test]
fn fc13_a_load_that_says_so_leaves_the_old_value_to_its_caller() {
    let rig = Rig::new();
    rig.aged("old");
    rig.time.block_on(rig.cache.expire(&1));
    let load = || async { Err::<String, _>("not now") };
    let fetched = rig.time.block_on(rig.cache.fetch(&1, load)).unwrap();
    assert_eq!(fetched.outcome.detail(), "stale-error");
    assert_eq!(fetched.value, "old");
}

#[test]
fn fc19_a_stand_in_is_given_and_the_next_call_tries_again() {
    let rig = Rig::new();
    let ask = || {
        let loader = rig.loader.clone();
        let load = move || async move {
            let stand_in = |_| Loaded::new("stand-in".to_owned()).unstored();
            loader.call(1).await.map_or_else(stand_in, Loaded::new)
        };
        let asked = rig.cache.get_or_load(&1, load);
        rig.time.block_on(asked).unwrap()
    };
    for calls in 1..=3 {
        rig.loader.then(Step::error("down"));
        assert_eq!(ask(), "stand-in");
        assert_eq!(rig.time.block_on(rig.cache.get(&1)), Got::Unknown);
        assert_eq!(rig.loader.calls(), calls);
    }
    rig.loader.then(Step::value("new"));
    assert_eq!(ask(), "new");
    assert_eq!(rig.said(), ("near", "new".into()));
}

#[test]
fn fc77_an_old_hit_is_told_apart_and_counted_apart() {
    let rig = Rig::new();
    rig.aged("old");
    rig.loader.then(Step::never());
    let call = larder_engine::observe(rig.call());
    let (_, seen) = rig.time.block_on(call);
    assert_eq!(seen[0].outcome().detail(), "stale-refresh");
    let stats = rig.cache.stats();
    assert_eq!((stats.near, stats.stale), (0, 1));
}
