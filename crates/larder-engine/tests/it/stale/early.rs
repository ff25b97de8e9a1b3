//! Refreshing before the end.

use larder_engine::{Got, Outcome, Refresh};
use larder_kit::{Gate, Step, Virtual};

use super::rig::{Rig, THROTTLE, TTL};
use crate::support::{INSTANT, SECOND, begin, larder};

/// Due two seconds before the end.
fn rig() -> Rig {
    Rig::with(|cache| cache.refresh(Refresh::At(0.8)))
}

fn due(rig: &Rig) {
    rig.loader.then(Step::value("old"));
    rig.said();
    rig.time.hand().advance(TTL * 4 / 5);
}

#[test]
fn fc28_the_first_call_after_the_moment_starts_a_refresh_and_waits_for_nothing() {
    let rig = rig();
    due(&rig);
    let gate = Gate::closed();
    rig.loader.then(Step::value("new").at(&gate));
    for _ in 0..5 {
        assert_eq!(rig.said(), ("near", "old".into()));
        rig.time.run_until_idle();
    }
    assert_eq!(rig.loader.calls(), 2, "one, however many call");
    assert_eq!(
        rig.time.block_on(rig.cache.get(&1)).value().as_deref(),
        Some(&"old".to_owned())
    );
    gate.open();
    rig.at_rest();
    assert_eq!(rig.said(), ("near", "new".into()));
    let stats = rig.cache.stats();
    assert_eq!(
        (stats.refreshes, stats.near, stats.loaded, stats.stale),
        (1, 7, 1, 0)
    );
}

#[test]
fn t5_before_the_moment_nothing_is_loaded() {
    let rig = rig();
    rig.loader.then(Step::value("old"));
    rig.said();
    rig.time.hand().advance(TTL * 4 / 5 - INSTANT);
    rig.said();
    rig.at_rest();
    assert_eq!(rig.loader.calls(), 1);
}

#[test]
fn t5_what_nobody_asks_for_is_not_refreshed() {
    let rig = rig();
    rig.loader.then(Step::value("old"));
    rig.said();
    rig.time.advance(TTL * 2);
    assert_eq!(rig.loader.calls(), 1);
}

#[test]
fn t5_it_says_what_is_left_and_not_when_it_is_due() {
    let rig = rig();
    rig.loader.then(Step::value("old"));
    rig.said();
    for passed in [SECOND, TTL * 4 / 5] {
        rig.time.hand().advance(passed);
        rig.loader.then(Step::never());
        let outcome = rig.fetch().unwrap().outcome;
        let Outcome::Near { age, left, .. } = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(left, Some(TTL - age));
    }
}

#[test]
fn t5_what_was_expired_meanwhile_does_not_wait_for_the_early_refresh() {
    let rig = rig();
    due(&rig);
    let gate = Gate::closed();
    rig.loader.then(Step::value("new").at(&gate));
    rig.said();
    rig.time.run_until_idle();
    rig.time.block_on(rig.cache.expire(&1));
    let mut call = Box::pin(rig.call());
    rig.loader.then(Step::value("newer"));
    let fetched = rig.time.block_on(&mut call).unwrap();
    assert_eq!(
        fetched.value, "newer",
        "what was expired meanwhile is loaded anew"
    );
    gate.open();
    rig.at_rest();
    assert_eq!(rig.said(), ("near", "newer".into()));
}

#[test]
fn fc32_a_real_miss_waits_for_the_early_refresh() {
    let time = Virtual::new();
    let cache = larder(&time).cache("texts").ttl(TTL);
    let cache = cache.refresh(Refresh::At(0.8)).build().unwrap();
    let loader = larder_kit::Loader::new(time.runtime());
    let rig = Rig {
        time,
        cache,
        loader,
    };
    due(&rig);
    let gate = Gate::closed();
    rig.loader.then(Step::value("new").at(&gate));
    rig.said();
    rig.time.run_until_idle();
    rig.time.hand().advance(TTL / 5);
    let mut call = Box::pin(rig.call());
    begin(&rig.time, &mut call);
    gate.open();
    let fetched = rig.time.block_on(call).unwrap();
    assert_eq!((fetched.outcome, &*fetched.value), (Outcome::Joined, "new"));
    assert_eq!(rig.loader.calls(), 2, "the first load and the refresh");
}

#[test]
fn t5_an_early_refresh_that_fails_leaves_the_source_alone_for_the_throttle() {
    let rig = rig();
    due(&rig);
    rig.loader.then(Step::error("down"));
    assert_eq!(rig.said().0, "near");
    rig.time.run_until_idle();
    assert_eq!(rig.said().0, "near");
    rig.time.run_until_idle();
    assert_eq!(rig.loader.calls(), 2);
    rig.time.hand().advance(THROTTLE - INSTANT);
    assert_eq!(rig.said(), ("near", "old".into()));
    rig.time.hand().advance(INSTANT);
    assert_eq!(rig.said(), ("stale-refresh", "old".into()));
    rig.at_rest();
    assert_eq!(rig.loader.calls(), 3);
}

#[test]
fn fc31_a_refreshed_value_has_its_tags() {
    let rig = rig();
    let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
    let call = || {
        let (cache, loader) = (cache.clone(), loader.clone());
        async move {
            let options = larder_engine::CallOptions::new().tag("t");
            cache.fetch_with(&1, options, move || loader.call(1)).await
        }
    };
    rig.time.block_on(call()).unwrap();
    rig.time.hand().advance(TTL * 4 / 5);
    rig.time.block_on(call()).unwrap();
    rig.at_rest();
    assert_eq!(rig.loader.calls(), 2);
    rig.time.block_on(rig.cache.invalidate_tag("t"));
    assert_eq!(rig.time.block_on(rig.cache.get(&1)), Got::Unknown);
}

#[test]
fn fc30_what_has_no_end_is_refused_a_refresh() {
    let time = Virtual::new();
    let endless = larder(&time).cache::<u64, u64>("endless");
    let error = endless.refresh(Refresh::At(0.5)).build().unwrap_err();
    assert_eq!(error.setting(), "refresh");
}

/// Values whose loads took a second, asked for as their end comes near.
#[test]
fn t5_by_chance_the_slower_the_load_the_earlier() {
    let early = |cost| {
        let time = Virtual::new();
        let cache = larder(&time)
            .cache::<u64, String>("texts")
            .ttl(TTL)
            .capacity(4_000);
        let cache = cache
            .refresh(Refresh::XFetch { beta: 1.0 })
            .max_loads(2_000);
        let (cache, loader) = (
            cache.build().unwrap(),
            larder_kit::Loader::new(time.runtime()),
        );
        loader.always(Step::echo().after(cost));
        let ask = |key: u64| {
            let (cache, loader) = (cache.clone(), loader.clone());
            time.spawn(async move { cache.get_or_load(&key, move || loader.call(key)).await })
        };
        let calls: Vec<_> = (0..1_000).map(ask).collect();
        time.advance(cost);
        assert!(calls.iter().all(larder_kit::Spawned::is_finished));
        time.advance(TTL - SECOND);
        let calls: Vec<_> = (0..1_000).map(ask).collect();
        time.run_until_idle();
        assert!(
            calls.iter().all(larder_kit::Spawned::is_finished),
            "nobody waits"
        );
        loader.calls() - 1_000
    };
    // A second before the end: e^-1 and e^-0.1 of the values.
    let (slow, fast) = (early(SECOND), early(SECOND / 10));
    assert!((300..440).contains(&slow), "{slow}");
    assert!(fast < 20, "{fast}");
}

#[test]
fn l5_a_load_that_asks_for_itself_is_found_out_inside_a_refresh_too() {
    let rig = Rig::new();
    rig.aged("old");
    let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
    let recursive = move || {
        let (cache, loader) = (cache.clone(), loader.clone());
        async move { cache.get_or_load(&1, move || loader.call(1)).await }
    };
    let cache = rig.cache.clone();
    let call = async move { cache.get_or_load(&1, recursive).await };
    assert_eq!(rig.time.block_on(call).unwrap(), "old");
    rig.at_rest();
    assert_eq!(rig.cache.stats().failed_refreshes, 1);
    assert_eq!(rig.loader.calls(), 1, "its body was not entered again");
    assert_eq!(rig.said().0, "stale-error");
}

#[test]
fn bug_a5_loads_over_old_values_that_ask_for_each_other_end_at_once() {
    let rig = Rig::new();
    for key in [1, 2] {
        rig.time.block_on(rig.cache.put(&key, "old".to_owned()));
    }
    rig.time.hand().advance(TTL);
    // Nothing old is given to the inner calls, so that they wait.
    rig.time.block_on(async {
        rig.cache.expire(&1).await;
        rig.cache.expire(&2).await;
    });
    let ask = |outer: u64, inner: u64| {
        let (cache, there) = (rig.cache.clone(), rig.cache.clone());
        let load = move || async move {
            futures_lite::future::yield_now().await;
            there
                .get_or_load(&inner, std::future::pending::<String>)
                .await
        };
        rig.time
            .spawn(async move { cache.fetch(&outer, load).await })
    };
    let calls = [ask(1, 2), ask(2, 1)];
    rig.time.run_until_idle();
    let ended = calls.map(|call| {
        assert!(call.is_finished());
        rig.time.block_on(call).unwrap()
    });
    assert!(ended.iter().all(|fetched| fetched.value == "old"));
    let fell_back = |fetched: &larder_engine::Fetched<_>| fetched.outcome.detail() == "stale-error";
    assert!(
        ended.iter().any(fell_back),
        "the one that closed the circle"
    );
}

#[test]
fn fc33_early_refreshes_and_misses_of_one_key_are_one_load() {
    let rig = rig();
    due(&rig);
    let gate = Gate::closed();
    rig.loader.then(Step::value("new").at(&gate));
    let calls: Vec<_> = (0..20).map(|_| rig.time.spawn(rig.call())).collect();
    rig.time.run_until_idle();
    assert!(calls.iter().all(larder_kit::Spawned::is_finished));
    rig.time.hand().advance(TTL);
    let late: Vec<_> = (0..20).map(|_| rig.time.spawn(rig.call())).collect();
    rig.time.run_until_idle();
    assert!(
        late.iter().all(larder_kit::Spawned::is_finished),
        "in its window"
    );
    gate.open();
    rig.at_rest();
    assert_eq!(rig.loader.calls(), 2);
}
