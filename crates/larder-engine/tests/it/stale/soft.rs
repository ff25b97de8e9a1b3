//! The soft deadline: a caller waits no longer where there is something old.

use larder_core::LoadErrorKind::TimedOut;
use larder_engine::CallOptions;
use larder_kit::{Gate, Step};

use super::rig::{Rig, THROTTLE, TTL, kind};
use crate::support::{INSTANT, SECOND, begin};

fn rig() -> Rig {
    Rig::with(|cache| cache.soft(SECOND).deadline(SECOND * 5))
}

#[test]
fn l6_a_caller_waits_as_long_as_the_soft_deadline_and_the_load_goes_on() {
    let rig = rig();
    rig.aged("old");
    let gate = Gate::closed();
    rig.loader.then(Step::value("new").at(&gate));
    let mut call = Box::pin(rig.call());
    begin(&rig.time, &mut call);
    rig.time.advance(SECOND - INSTANT);
    begin(&rig.time, &mut call);
    rig.time.advance(INSTANT);
    let fetched = rig.time.block_on(call).unwrap();
    assert_eq!(
        (fetched.outcome.detail(), &*fetched.value),
        ("stale-soft", "old")
    );
    gate.open();
    rig.at_rest();
    assert_eq!(
        rig.said(),
        ("near", "new".into()),
        "fc23: the late result is kept"
    );
    assert_eq!(rig.loader.calls(), 2);
}

#[test]
fn l6_a_load_within_the_soft_deadline_is_the_answer() {
    let rig = rig();
    rig.aged("old");
    rig.loader.then(Step::value("new").after(SECOND / 2));
    let call = rig.time.spawn(rig.call());
    rig.time.advance(SECOND / 2);
    let fetched = rig.time.block_on(call).unwrap();
    assert_eq!(
        (fetched.outcome.detail(), &*fetched.value),
        ("loaded", "new")
    );
}

#[test]
fn fc20_where_there_is_nothing_old_there_is_no_soft_deadline() {
    let rig = rig();
    rig.loader.then(Step::value("new").after(SECOND * 3));
    let call = rig.time.spawn(rig.call());
    rig.time.advance(SECOND * 3);
    assert_eq!(rig.time.block_on(call).unwrap().outcome.detail(), "loaded");
}

#[test]
fn fc21_a_load_that_never_ends_is_a_timeout_where_there_is_nothing_old() {
    let rig = rig();
    rig.loader.then(Step::never());
    let call = rig.time.spawn(rig.call());
    rig.time.advance(SECOND * 5);
    assert_eq!(kind(rig.time.block_on(call)), TimedOut);
}

#[test]
fn fc22_and_else_it_is_the_old_value() {
    // The soft deadline of the cache is after the hard one of the call: it is the load's end that is
    // waited for.
    let rig = Rig::with(|cache| cache.soft(SECOND * 9));
    rig.aged("old");
    rig.loader.then(Step::never());
    let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
    let options = CallOptions::new().deadline(SECOND * 5);
    let call = async move { cache.fetch_with(&1, options, move || loader.call(1)).await };
    let call = rig.time.spawn(call);
    rig.time.advance(SECOND * 5);
    let fetched = rig.time.block_on(call).unwrap();
    assert_eq!(
        (fetched.outcome.detail(), &*fetched.value),
        ("stale-timeout", "old")
    );
    rig.at_rest();
}

#[test]
fn fc26_callers_that_come_and_go_share_one_load() {
    let rig = rig();
    rig.aged("old");
    let gate = Gate::closed();
    rig.loader.then(Step::value("new").at(&gate));
    for _ in 0..3 {
        let call = rig.time.spawn(rig.call());
        rig.time.advance(SECOND);
        let outcome = rig.time.block_on(call).unwrap().outcome;
        assert_eq!(outcome.detail(), "stale-soft");
    }
    assert_eq!(rig.loader.calls(), 2);
    gate.open();
    rig.at_rest();
}

#[test]
fn fc24_a_load_that_fails_after_its_callers_left_pauses_too() {
    let rig = rig();
    rig.aged("old");
    rig.loader.then(Step::error("down").after(SECOND * 2));
    let call = rig.time.spawn(rig.call());
    rig.time.advance(SECOND * 2);
    assert_eq!(
        rig.time.block_on(call).unwrap().outcome.detail(),
        "stale-soft"
    );
    rig.at_rest();
    assert_eq!(rig.said().0, "stale-error");
    rig.time.hand().advance(THROTTLE);
    rig.loader.then(Step::value("new"));
    assert_eq!(rig.said(), ("loaded", "new".into()));
}

#[test]
fn l6_what_was_expired_has_the_soft_deadline_too() {
    let rig = rig();
    rig.loader.then(Step::value("old"));
    rig.said();
    rig.time.block_on(rig.cache.expire(&1));
    rig.loader.then(Step::never());
    let call = rig.time.spawn(rig.call());
    rig.time.advance(SECOND);
    assert_eq!(
        rig.time.block_on(call).unwrap().outcome.detail(),
        "stale-soft"
    );
}

#[test]
fn l6_a_caller_that_leaves_by_it_keeps_a_cancelling_load_alive() {
    let rig = rig();
    rig.aged("old");
    rig.loader.then(Step::value("new").after(SECOND * 2));
    let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
    let call = rig.time.spawn(async move {
        let options = CallOptions::new().cancel();
        cache.fetch_with(&1, options, move || loader.call(1)).await
    });
    rig.time.advance(SECOND);
    assert_eq!(
        rig.time.block_on(call).unwrap().outcome.detail(),
        "stale-soft"
    );
    rig.time.advance(SECOND);
    assert_eq!(rig.said(), ("near", "new".into()));
}

#[test]
fn l6_a_call_may_have_one_of_its_own() {
    let rig = Rig::new();
    rig.aged("old");
    rig.loader.then(Step::never());
    let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
    let call = rig.time.spawn(async move {
        let options = CallOptions::new().soft(SECOND * 3);
        cache.fetch_with(&1, options, move || loader.call(1)).await
    });
    rig.time.advance(SECOND * 3 - INSTANT);
    assert!(!call.is_finished());
    rig.time.advance(INSTANT);
    assert_eq!(
        rig.time.block_on(call).unwrap().outcome.detail(),
        "stale-soft"
    );
    rig.time.hand().advance(TTL);
}

#[test]
fn fc25_a_load_that_fails_after_the_soft_deadline_changes_nothing_for_who_has_left() {
    let rig = rig();
    rig.aged("old");
    let gate = Gate::closed();
    rig.loader.then(Step::error("down").at(&gate));
    let call = rig.time.spawn(rig.call());
    rig.time.advance(SECOND);
    let fetched = rig.time.block_on(call).unwrap();
    assert_eq!(fetched.outcome.detail(), "stale-soft");
    gate.open();
    rig.at_rest();
    assert_eq!(rig.cache.stats().failed_refreshes, 1);
    assert_eq!(rig.said(), ("stale-error", "old".into()));
}

/// No time to wait is not no load: the old value at once, and a load behind it.
#[test]
fn fc27_a_soft_deadline_of_nothing_waits_for_nothing() {
    let rig = Rig::new();
    rig.aged("old");
    rig.loader.then(Step::value("new"));
    let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
    let options = CallOptions::new().soft(std::time::Duration::ZERO);
    let call = async move { cache.fetch_with(&1, options, move || loader.call(1)).await };
    rig.time.block_on(call).unwrap();
    rig.at_rest();
    assert_eq!(rig.loader.calls(), 2);
    assert_eq!(rig.said(), ("near", "new".into()));
}
