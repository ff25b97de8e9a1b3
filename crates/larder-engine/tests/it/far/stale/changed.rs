//! What changes do to what is past its time.

use larder_engine::{Cache, CacheBuilder, Change, Got};
use larder_kit::{Fault, Gate, Step};

use super::node::{Node, THROTTLE, TTL, Two};
use crate::support::{SECOND, begin};

async fn change(cache: &Cache<u64, String>, how: &str) -> Change {
    match how {
        "key" => cache.invalidate(&1).await,
        "tag" => cache.invalidate_tag("t").await,
        _ => cache.clear().await,
    }
}

/// Also after a restart of the process: a third node, which knows nothing.
#[test]
fn bug_b8_what_another_node_invalidated_is_no_fallback() {
    for how in ["key", "tag", "clear"] {
        for build in [CacheBuilder::far as fn(_) -> _, CacheBuilder::far_only] {
            let nodes = Two::aged(build);
            nodes.two.fails();
            assert_eq!(nodes.two.said().1, "old");
            nodes.time.run_until_idle();
            assert_eq!(nodes.two.said().0, "stale-error");
            let done = nodes.time.block_on(change(&nodes.one.cache, how));
            assert_eq!(done, Change::Done);
            nodes.time.advance(SECOND);
            assert!(nodes.two.fetch().is_err(), "{how}");
            let three = Node::over(&nodes.time, &nodes.shelf, build);
            three.fails();
            assert!(three.fetch().is_err(), "{how}");
        }
    }
}

#[test]
fn t4_what_is_old_outlives_a_restart() {
    let nodes = Two::aged(CacheBuilder::far);
    let three = Node::over(&nodes.time, &nodes.shelf, CacheBuilder::far);
    // The first sign of the others voids what was read before it.
    nodes.time.advance(SECOND * 2);
    three.fails();
    assert_eq!(three.said(), ("stale-refresh", "old".into()));
}

/// The store has not acknowledged the invalidation, so what it has is not believed.
#[test]
fn bug_b8_behind_the_fence_nothing_is_fallen_back_to() {
    for how in ["key", "tag", "clear"] {
        let nodes = Two::aged(CacheBuilder::far);
        nodes.one.failing.die(Fault::Lost);
        let call = nodes.time.spawn({
            let cache = nodes.one.cache.clone();
            async move { change(&cache, how).await }
        });
        nodes.time.advance(SECOND);
        assert_eq!(nodes.time.block_on(call), Change::Queued);
        nodes.one.fails();
        let call = nodes.time.spawn(nodes.one.call());
        nodes.time.advance(SECOND);
        assert!(nodes.time.block_on(call).is_err(), "{how}");
    }
}

#[test]
fn i3_what_is_expired_is_fresh_on_no_node_and_a_fallback_on_all() {
    for build in [CacheBuilder::far as fn(_) -> _, CacheBuilder::far_only] {
        let nodes = Two::of(build);
        nodes.one.loader.then(Step::value("old"));
        nodes.one.said();
        nodes.two.said();
        let done = nodes.time.block_on(nodes.one.cache.expire(&1));
        assert_eq!(done, Change::Done);
        nodes.time.advance(SECOND);
        let three = Node::over(&nodes.time, &nodes.shelf, build);
        for node in [&nodes.one, &nodes.two, &three] {
            let looked = nodes.time.block_on(node.cache.get(&1));
            assert_eq!(looked, Got::Unknown);
            node.fails();
            assert_eq!(node.said(), ("stale-error", "old".into()), "never at once");
        }
        nodes.time.advance(THROTTLE);
        nodes.two.loader.always(Step::value("new"));
        assert_eq!(nodes.two.said(), ("loaded", "new".into()));
    }
}

#[test]
fn i3_a_refresh_that_an_expire_overtakes_is_kept_nowhere() {
    for build in [CacheBuilder::far as fn(_) -> _, CacheBuilder::far_only] {
        let nodes = Two::aged(build);
        let gate = Gate::closed();
        nodes.two.loader.then(Step::value("older").at(&gate));
        assert_eq!(nodes.two.said().0, "stale-refresh");
        nodes.time.run_until_idle();
        nodes.time.block_on(nodes.one.cache.expire(&1));
        nodes.time.advance(SECOND);
        gate.open();
        nodes.time.run_until_idle();
        for node in [&nodes.one, &nodes.two] {
            node.loader.always(Step::value("new"));
            assert_eq!(node.said().1, "new");
        }
    }
}

/// "Discarded by any write in between": it does not bring back what was invalidated, nor take the
/// place of what was put.
#[test]
fn cfr1_a_refresh_loses_to_any_change_in_between() {
    for how in ["key", "tag", "clear", "put"] {
        let nodes = Two::aged(CacheBuilder::far);
        let gate = Gate::closed();
        nodes.one.loader.then(Step::value("older").at(&gate));
        assert_eq!(nodes.one.said().0, "stale-refresh");
        nodes.time.run_until_idle();
        nodes.time.block_on(async {
            match how {
                "put" => nodes.one.cache.put(&1, "put".to_owned()).await,
                how => change(&nodes.one.cache, how).await,
            }
        });
        nodes.one.loader.always(Step::value("new"));
        let expected = if how == "put" { "put" } else { "new" };
        let next = nodes.time.spawn(nodes.one.call());
        nodes.time.run_until_idle();
        // A call joins a load whose tags it does not know, and is refused its result.
        let waits = how == "tag";
        assert_eq!(next.is_finished(), !waits, "not for what is older");
        gate.open();
        assert_eq!(nodes.time.block_on(next).unwrap().value, expected);
        nodes.time.run_until_idle();
        assert_eq!(nodes.one.said(), ("near", expected.into()), "{how}");
        assert_eq!(nodes.two.said().1, expected);
    }
}

/// A refresh that a change made void ends after the load that followed it, and takes nothing along.
#[test]
fn cfr1_a_late_end_does_not_touch_what_came_after() {
    let nodes = Two::aged(CacheBuilder::far);
    let [first, second] = [Gate::closed(), Gate::closed()];
    nodes.one.loader.then(Step::error("late").at(&first));
    nodes.one.said();
    nodes.time.run_until_idle();
    nodes.time.block_on(nodes.one.cache.invalidate(&1));
    nodes.one.loader.then(Step::value("new").at(&second));
    let mut next = Box::pin(nodes.one.call());
    begin(&nodes.time, &mut next);
    nodes.time.run_until_idle();
    first.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.one.cache.stats().running, 1, "the successor goes on");
    second.open();
    assert_eq!(nodes.time.block_on(next).unwrap().value, "new");
    nodes.time.advance(TTL);
    nodes.one.loader.always(Step::value("newer"));
    assert_eq!(
        nodes.one.said(),
        ("stale-refresh", "new".into()),
        "no pause is left of it"
    );
}

#[test]
fn cfr1_the_same_value_again_has_its_whole_time_again() {
    let nodes = Two::aged(CacheBuilder::far);
    nodes.one.loader.always(Step::value("old"));
    nodes.one.said();
    nodes.time.run_until_idle();
    nodes.time.advance(TTL - SECOND);
    assert_eq!(nodes.one.said(), ("near", "old".into()));
    assert_eq!(nodes.one.loader.calls(), 2);
}
