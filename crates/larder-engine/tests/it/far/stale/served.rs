//! Served at once, refreshed in the background, left alone after a failure.

use larder_engine::{CacheBuilder, Got, Outcome, Refresh};
use larder_kit::{FarOperation, Gate, Step, Virtual};

use super::node::{Node, THROTTLE, TTL, Two, WINDOW};
use crate::far::support::shelf;
use crate::support::{INSTANT, SECOND, begin};

#[test]
fn t4_a_node_serves_what_it_finds_past_its_time_and_refreshes_it() {
    for (build, after) in [
        (CacheBuilder::far as fn(_) -> _, "near"),
        (CacheBuilder::far_only, "far"),
    ] {
        let nodes = Two::aged(build);
        let gate = Gate::closed();
        nodes.two.loader.always(Step::value("new").at(&gate));
        for _ in 0..5 {
            assert_eq!(nodes.two.said(), ("stale-refresh", "old".into()));
            nodes.time.run_until_idle();
        }
        assert_eq!(nodes.two.loader.calls(), 1, "{after}");
        gate.open();
        nodes.time.run_until_idle();
        assert_eq!(nodes.two.said(), (after, "new".into()));
        assert_eq!(nodes.two.cache.stats().running, 0);
    }
}

#[test]
fn t4_it_says_how_old_it_is_on_whatever_node() {
    let nodes = Two::aged(CacheBuilder::far);
    nodes.time.advance(SECOND * 3);
    let outcome = nodes.two.fetch().unwrap().outcome;
    let Outcome::Stale { age, past, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((age, past), (TTL + SECOND * 3, SECOND * 3));
}

#[test]
fn bug_l8_a_refresh_at_one_node_is_news_at_the_other_without_a_load() {
    let nodes = Two::aged(CacheBuilder::far);
    nodes.one.loader.always(Step::value("new"));
    assert_eq!(nodes.one.said().0, "stale-refresh");
    nodes.time.run_until_idle();
    assert_eq!(nodes.one.said(), ("near", "new".into()));
    assert_eq!(nodes.two.said(), ("far", "new".into()));
    assert_eq!((nodes.one.loader.calls(), nodes.two.loader.calls()), (2, 0));
}

/// Both tiers of the second node are past their time, and the far one was refreshed since.
#[test]
fn be_where_both_tiers_are_old_what_the_far_one_has_newer_is_preferred_to_a_load() {
    let nodes = Two::of(CacheBuilder::far);
    nodes.one.loader.then(Step::value("old"));
    nodes.one.said();
    assert_eq!(nodes.two.said(), ("far", "old".into()));
    nodes.time.advance(TTL);
    nodes.one.loader.then(Step::value("new"));
    nodes.one.said();
    nodes.time.run_until_idle();
    assert_eq!(nodes.two.said(), ("stale-refresh", "old".into()));
    nodes.time.run_until_idle();
    assert_eq!(nodes.two.said(), ("near", "new".into()));
    assert_eq!(nodes.two.loader.calls(), 0);
}

#[test]
fn t4_after_a_failure_the_source_is_left_alone_with_a_far_tier_too() {
    for build in [CacheBuilder::far as fn(_) -> _, CacheBuilder::far_only] {
        let nodes = Two::aged(build);
        nodes.two.fails();
        assert_eq!(nodes.two.said().0, "stale-refresh");
        nodes.time.run_until_idle();
        for _ in 0..3 {
            assert_eq!(nodes.two.said(), ("stale-error", "old".into()));
            nodes.time.run_until_idle();
        }
        nodes.time.advance(THROTTLE - INSTANT);
        assert_eq!(nodes.two.said().0, "stale-error");
        assert_eq!(nodes.two.loader.calls(), 1);
        nodes.time.advance(INSTANT);
        assert_eq!(nodes.two.said().0, "stale-refresh");
        nodes.time.run_until_idle();
        assert_eq!(nodes.two.loader.calls(), 2);
    }
}

/// It keeps nothing near but what it may have to fall back to.
#[test]
fn t4_while_a_far_only_cache_leaves_its_source_alone_it_still_asks_far() {
    let nodes = Two::aged(CacheBuilder::far_only);
    nodes.two.fails();
    nodes.two.said();
    nodes.time.run_until_idle();
    assert_eq!(nodes.two.said().0, "stale-error");
    nodes.one.loader.then(Step::value("new"));
    nodes.one.said();
    nodes.time.run_until_idle();
    assert_eq!(nodes.two.said(), ("far", "new".into()));
}

#[test]
fn t3_what_is_old_near_is_served_no_longer_than_far_would() {
    let nodes = Two::aged(CacheBuilder::far);
    nodes.two.fails();
    assert_eq!(nodes.two.said().1, "old");
    nodes.time.advance(WINDOW - INSTANT);
    assert_eq!(nodes.two.said().1, "old");
    nodes.time.advance(INSTANT);
    assert!(nodes.two.fetch().is_err());
}

#[test]
fn t4_the_age_cap_counts_from_the_load_on_whatever_node() {
    let nodes = Two::aged(|cache| cache.far().max_age(TTL + SECOND * 5));
    nodes.two.fails();
    nodes.time.advance(SECOND * 5 - INSTANT);
    assert_eq!(nodes.two.said().1, "old");
    nodes.time.advance(INSTANT);
    assert!(nodes.two.fetch().is_err());
}

/// Another program, or another version, has stored it with a longer window.
#[test]
fn t4_a_node_keeps_its_own_age_cap_whoever_has_stored_it() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let one = Node::over(&time, &shelf, CacheBuilder::far);
    let two = Node::over(&time, &shelf, |cache| cache.far().max_age(TTL / 2));
    time.advance(SECOND * 2);
    one.loader.then(Step::value("old"));
    one.said();
    two.fails();
    assert_eq!(two.said().0, "far");
    time.advance(TTL / 2);
    assert!(two.fetch().is_err());
    assert_eq!(one.said().0, "near");
}

#[test]
fn bug_l7_a_far_tier_that_is_slow_holds_up_nobody_who_has_something_near() {
    let nodes = Two::aged(CacheBuilder::far);
    let gate = nodes.one.slow.hold_before(FarOperation::Read);
    nodes
        .one
        .loader
        .always(Step::value("new").after(SECOND * 2));
    for _ in 0..10 {
        assert_eq!(nodes.one.said(), ("stale-refresh", "old".into()), "at once");
        nodes.time.run_until_idle();
    }
    assert!(gate.waiting() <= 1, "one refresh");
    nodes.time.advance(SECOND * 3);
    assert_eq!(nodes.one.said(), ("near", "new".into()));
    assert_eq!(nodes.one.loader.calls(), 2);
}

#[test]
fn t4_a_get_gives_nothing_old_from_far() {
    let nodes = Two::aged(CacheBuilder::far);
    let looked = nodes.time.block_on(nodes.two.cache.get(&1));
    assert_eq!(looked, Got::Unknown);
    let looked = nodes.time.block_on(nodes.two.cache.get_many(&[1]));
    assert_eq!(looked, [Got::Unknown]);
}

#[test]
fn l6_the_soft_deadline_holds_for_what_only_far_has() {
    let nodes = Two::aged(|cache| cache.far().soft(SECOND));
    nodes.two.loader.then(Step::value("new").after(SECOND * 2));
    let call = nodes.time.spawn(nodes.two.call());
    nodes.time.advance(SECOND);
    let fetched = nodes.time.block_on(call).unwrap();
    assert_eq!(
        (fetched.outcome.detail(), &*fetched.value),
        ("stale-soft", "old")
    );
    nodes.time.advance(SECOND);
    assert_eq!(nodes.two.said(), ("near", "new".into()));
}

#[test]
fn l2_a_load_that_borrows_falls_back_to_what_far_has() {
    for build in [CacheBuilder::far as fn(_) -> _, CacheBuilder::far_only] {
        let nodes = Two::aged(build);
        nodes.two.fails();
        let load = || nodes.two.loader.call(1);
        let scoped = nodes.two.cache.get_or_load_scoped(&1, load);
        assert_eq!(nodes.time.block_on(scoped).unwrap(), "old");
    }
}

#[test]
fn m1_a_batch_falls_back_to_what_far_has() {
    let nodes = Two::aged(CacheBuilder::far);
    let load = |_: Vec<u64>| async { Err::<Vec<(u64, String)>, _>("down") };
    let batch = nodes.two.cache.get_or_load_many(&[1, 2], load);
    let answers = nodes.time.block_on(batch);
    assert_eq!(
        answers[0].as_ref().unwrap().as_deref(),
        Some(&"old".to_owned())
    );
    assert!(answers[1].is_err());
}

#[test]
fn fc32_one_who_comes_with_nothing_joins_the_refresh() {
    for build in [CacheBuilder::far as fn(_) -> _, CacheBuilder::far_only] {
        let nodes = Two::aged(build);
        nodes.time.advance(WINDOW - SECOND);
        let gate = Gate::closed();
        nodes.one.loader.always(Step::value("new").at(&gate));
        assert_eq!(nodes.one.said().0, "stale-refresh");
        nodes.time.run_until_idle();
        nodes.time.advance(SECOND);
        let mut miss = Box::pin(nodes.one.call());
        begin(&nodes.time, &mut miss);
        gate.open();
        let fetched = nodes.time.block_on(miss).unwrap();
        assert_eq!((fetched.outcome, &*fetched.value), (Outcome::Joined, "new"));
        assert_eq!(
            nodes.one.loader.calls(),
            2,
            "the first load and the refresh"
        );
    }
}

/// What far holds is what is to be refreshed, and no news.
#[test]
fn t5_an_early_refresh_does_not_take_its_own_value_from_far() {
    for build in [
        (|cache: CacheBuilder<u64, String>| cache.far().refresh(Refresh::At(0.5))) as fn(_) -> _,
        |cache| cache.far().refresh(Refresh::XFetch { beta: 100.0 }),
    ] {
        let nodes = Two::of(build);
        nodes.one.loader.then(Step::value("old").after(SECOND));
        let call = nodes.time.spawn(nodes.one.call());
        nodes.time.advance(SECOND);
        assert_eq!(nodes.time.block_on(call).unwrap().value, "old");
        nodes.time.advance(TTL * 3 / 4);
        nodes.one.loader.always(Step::value("new"));
        assert_eq!(nodes.one.said(), ("near", "old".into()));
        nodes.time.run_until_idle();
        assert_eq!(nodes.one.said(), ("near", "new".into()));
        assert_eq!(nodes.two.said(), ("far", "new".into()));
    }
}

/// The second node holds the first one's value near, and refreshes by what the frame says.
#[test]
fn t5_a_value_from_far_is_due_when_it_is_due_everywhere() {
    let nodes = Two::of(|cache| cache.far().refresh(Refresh::At(0.5)));
    nodes.one.loader.then(Step::value("old"));
    nodes.one.said();
    nodes.time.advance(TTL / 2 - SECOND);
    assert_eq!(nodes.two.said().0, "far");
    nodes.two.loader.always(Step::value("new"));
    assert_eq!(nodes.two.said(), ("near", "old".into()));
    nodes.time.run_until_idle();
    assert_eq!(nodes.two.loader.calls(), 0);
    nodes.time.advance(SECOND);
    assert_eq!(nodes.two.said(), ("near", "old".into()));
    nodes.time.run_until_idle();
    assert_eq!(nodes.two.said(), ("near", "new".into()));
}
