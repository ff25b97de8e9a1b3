//! The old value at once, and one refresh in the background.

use larder_engine::{CallOptions, Got, Outcome, Stale};
use larder_kit::{Gate, Step};

use super::rig::{LONG, Rig, THROTTLE, TTL, WHILE, WINDOW, last_instant, says, stale};
use crate::support::{INSTANT, SECOND, begin};

#[test]
fn t4_within_the_window_the_old_value_is_given_at_once_and_one_refresh_runs() {
    let rig = Rig::new();
    rig.aged("old");
    let gate = Gate::closed();
    rig.loader.then(Step::value("new").at(&gate));
    for _ in 0..10 {
        assert_eq!(rig.said(), ("stale-refresh", "old".into()));
        rig.time.run_until_idle();
    }
    assert_eq!((rig.loader.calls(), gate.waiting()), (2, 1));
    gate.open();
    rig.at_rest();
    assert_eq!(rig.said(), ("near", "new".into()));
    let stats = rig.cache.stats();
    assert_eq!((stats.stale, stats.loaded, stats.near), (10, 1, 1));
    assert_eq!((stats.refreshes, stats.failed_refreshes), (1, 0));
}

#[test]
fn bug_l8_a_refreshed_value_has_its_whole_time_again() {
    let rig = Rig::new();
    rig.aged("old");
    rig.loader.then(Step::value("new"));
    rig.said();
    rig.at_rest();
    rig.time.hand().advance(TTL - INSTANT);
    let fetched = rig.fetch().unwrap();
    let Outcome::Near { age, left, .. } = fetched.outcome else {
        panic!("{:?}", fetched.outcome);
    };
    assert_eq!((age, left), (TTL - INSTANT, Some(INSTANT)));
    assert_eq!(rig.loader.calls(), 2);
}

#[test]
fn t4_it_says_how_old_it_is() {
    let rig = Rig::new();
    rig.aged("old");
    rig.time.hand().advance(SECOND * 3);
    rig.loader.then(Step::never());
    let outcome = rig.fetch().unwrap().outcome;
    let Outcome::Stale {
        because, age, past, ..
    } = outcome
    else {
        panic!("{outcome:?}");
    };
    assert_eq!(because, Stale::Refresh);
    assert_eq!((age, past), (TTL + SECOND * 3, SECOND * 3));
}

#[test]
fn t4_the_window_ends_when_it_says() {
    for (later, detail) in [
        (last_instant(), "stale-refresh"),
        (WINDOW, "loaded"),
        (WINDOW * 9, "loaded"),
    ] {
        let rig = Rig::new();
        rig.aged("old");
        rig.time.hand().advance(later);
        assert_eq!(rig.said().0, detail);
    }
}

#[test]
fn fc32_a_real_miss_joins_the_refresh_that_runs() {
    let rig = Rig::new();
    rig.aged("old");
    rig.time.hand().advance(WINDOW - SECOND);
    let gate = Gate::closed();
    rig.loader.then(Step::value("new").at(&gate));
    assert_eq!(rig.said().0, "stale-refresh");
    rig.time.run_until_idle();
    rig.time.hand().advance(SECOND);
    let mut miss = Box::pin(rig.call());
    begin(&rig.time, &mut miss);
    gate.open();
    let fetched = rig.time.block_on(miss).unwrap();
    assert_eq!((fetched.outcome, &*fetched.value), (Outcome::Joined, "new"));
    assert_eq!(rig.loader.calls(), 2);
}

#[test]
fn fc29_a_caller_that_leaves_does_not_end_the_refresh() {
    let rig = Rig::new();
    rig.aged("old");
    let gate = Gate::closed();
    rig.loader.then(Step::value("new").at(&gate));
    let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
    let options = CallOptions::new().cancel();
    let call = async move {
        let load = move || loader.call(1);
        cache.get_or_load_with(&1, options, load).await
    };
    assert_eq!(rig.time.block_on(call).unwrap(), "old");
    gate.open();
    rig.at_rest();
    assert_eq!(rig.said(), ("near", "new".into()));
}

#[test]
fn fc24_a_refresh_that_fails_is_heard_by_nobody() {
    for step in [Step::error("down"), Step::panic("down"), Step::never()] {
        let rig = Rig::new();
        rig.aged("old");
        rig.loader.then(step);
        assert_eq!(rig.said().0, "stale-refresh");
        rig.time.advance(LONG);
        assert_eq!(rig.cache.stats().failed_refreshes, 1);
        rig.at_rest();
        rig.loader.then(Step::value("new"));
        assert_eq!(rig.said().1, "old");
        rig.at_rest();
        assert_eq!(rig.said(), ("near", "new".into()));
    }
}

#[test]
fn fc15_after_a_failure_the_source_is_left_alone_for_the_throttle() {
    for (step, ends) in [
        (Step::error("down").after(WHILE), WHILE),
        (Step::panic("down").after(WHILE), WHILE),
        (Step::never(), SECOND * 30),
    ] {
        let rig = Rig::new();
        rig.aged("old");
        rig.loader.then(step);
        assert_eq!(rig.said().0, "stale-refresh");
        rig.time.advance(ends);
        for _ in 0..3 {
            assert_eq!(rig.said(), ("stale-error", "old".into()));
        }
        rig.time.advance(THROTTLE - INSTANT);
        assert_eq!(rig.said().0, "stale-error");
        assert_eq!(rig.loader.calls(), 2, "counted from the end of the load");
        rig.time.advance(INSTANT);
        assert_eq!(rig.said().0, "stale-refresh");
        rig.time.run_until_idle();
        assert_eq!(rig.loader.calls(), 3);
    }
}

#[test]
fn fc16_chance_does_not_touch_the_throttle() {
    let rig = Rig::with(|cache| cache.jitter(0.9));
    rig.aged("old");
    rig.loader.then(Step::error("down"));
    assert_eq!(rig.said().0, "stale-refresh");
    rig.time.run_until_idle();
    rig.time.hand().advance(THROTTLE - INSTANT);
    assert_eq!(rig.said().0, "stale-error");
    rig.time.hand().advance(INSTANT);
    assert_eq!(rig.said().0, "stale-refresh");
}

#[test]
fn bug_l5_a_failing_refresh_is_tried_a_few_times_and_the_old_value_stays() {
    let rig = Rig::new();
    rig.aged("old");
    rig.loader
        .always(Step::error("down").after(SECOND * 3 / 10));
    // 500 gets a second for 6 seconds.
    for _ in 0..3_000 {
        let fetched = rig.fetch().unwrap();
        assert_eq!(fetched.value, "old");
        assert!(stale(&fetched.outcome).is_some());
        rig.time.advance(SECOND / 500);
    }
    assert!(rig.loader.calls() - 1 <= 4, "{}", rig.loader.calls() - 1);
}

#[test]
fn t4_the_age_cap_ends_it_however_often_it_failed() {
    let cap = TTL + SECOND * 20;
    let rig = Rig::with(|cache| cache.max_age(cap));
    rig.aged("old");
    rig.loader.always(Step::error("down"));
    for _ in 0..20 {
        assert_eq!(rig.said().1, "old");
        rig.time.advance(SECOND);
    }
    assert!(says(&rig.fetch().unwrap_err(), "down"));
}

#[test]
fn fc18_a_look_without_a_load_gives_nothing_old_and_stores_nothing_anew() {
    let rig = Rig::new();
    rig.aged("old");
    assert_eq!(rig.time.block_on(rig.cache.get(&1)), Got::Unknown);
    rig.time.hand().advance(last_instant());
    assert_eq!(rig.loader.calls(), 1);
    rig.loader.always(Step::error("down"));
    assert_eq!(rig.said(), ("stale-refresh", "old".into()));
    rig.at_rest();
    assert_eq!(rig.time.block_on(rig.cache.get(&1)), Got::Unknown);
    rig.time.hand().advance(INSTANT);
    assert!(
        says(&rig.fetch().unwrap_err(), "down"),
        "its window is over"
    );
}

#[test]
fn t4_absence_has_a_window_as_values_have() {
    let rig = Rig::with(|cache| cache.absent_ttl(SECOND));
    let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
    let find = move || {
        let (cache, loader) = (cache.clone(), loader.clone());
        async move { cache.fetch(&1, move || loader.find(1)).await.unwrap() }
    };
    rig.loader.then(Step::absent());
    assert_eq!(rig.time.block_on(find()).value, None);
    rig.time.hand().advance(SECOND);
    rig.loader.then(Step::value("there"));
    let fetched = rig.time.block_on(find());
    assert_eq!(
        (fetched.outcome.detail(), fetched.value),
        ("stale-refresh", None)
    );
    rig.at_rest();
    assert_eq!(rig.time.block_on(find()).value.as_deref(), Some("there"));
}

#[test]
fn t4_a_function_that_cannot_say_absence_waits_for_a_value() {
    let rig = Rig::with(|cache| cache.absent_ttl(SECOND));
    rig.loader.then(Step::absent());
    let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
    rig.time
        .block_on(async move { cache.get_or_load(&1, move || loader.find(1)).await })
        .unwrap();
    rig.time.hand().advance(SECOND);
    rig.loader.then(Step::value("there"));
    assert_eq!(rig.said(), ("loaded", "there".into()));
}

#[test]
fn t4_what_is_swept_is_past_its_window() {
    let rig = Rig::new();
    rig.loader.then(Step::value("old"));
    rig.said();
    rig.time.advance(TTL + WINDOW - SECOND);
    assert_eq!(rig.cache.stats().entries, 1);
    rig.time.advance(SECOND * 20);
    assert_eq!(rig.cache.stats().entries, 0);
}

#[test]
fn l3_a_refresh_that_may_not_start_is_no_error() {
    let rig = Rig::with(|cache| cache.max_loads(1));
    rig.aged("old");
    let mut other = Box::pin(rig.cache.get_or_load(&2, std::future::pending::<String>));
    begin(&rig.time, &mut other);
    assert_eq!(rig.said(), ("stale-refused", "old".into()));
    assert_eq!(rig.loader.calls(), 1);
    drop(other);
    rig.time.advance(LONG);
    assert_eq!(rig.said().0, "stale-refresh");
}

#[test]
fn t4_shutdown_starts_no_refresh_and_ends_the_one_that_runs() {
    let time = larder_kit::Virtual::new();
    let larder = crate::support::larder(&time);
    let cache = larder.cache("texts").ttl(TTL).stale(WINDOW).build();
    let (cache, loader) = (cache.unwrap(), larder_kit::Loader::new(time.runtime()));
    let rig = Rig {
        time,
        cache,
        loader,
    };
    rig.aged("old");
    rig.loader.always(Step::never());
    assert_eq!(rig.said().0, "stale-refresh");
    rig.time.run_until_idle();
    rig.time.hand().advance(WINDOW);
    let mut joined = Box::pin(rig.call());
    begin(&rig.time, &mut joined);
    rig.loader.always(Step::value("new"));
    let done = rig.time.spawn(async move { larder.shutdown(SECOND).await });
    rig.time.run_until_idle();
    let fetched = rig.time.block_on(joined).unwrap();
    assert_eq!(fetched.outcome.detail(), "loaded", "it loads for itself");
    rig.time.advance(SECOND);
    assert!(rig.time.block_on(done), "nothing hangs until a deadline");
    rig.time.hand().advance(TTL);
    assert_eq!(rig.said(), ("stale-refused", "new".into()));
    assert_eq!(rig.loader.running(), 0);
}
