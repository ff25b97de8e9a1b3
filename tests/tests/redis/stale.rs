//! Values past their ttl, over a real server.

use std::time::Duration;

use larder::{Change, LoadError};
use larder_kit::{Gate, Spawned};

use crate::nodes::{Node, SECOND, Shared, TTL, says};

const WINDOW: Duration = Duration::from_secs(300);

impl Shared {
    fn aging(&self) -> Node {
        self.node_of(|names| names.stale(WINDOW))
    }

    /// A call whose load fails.
    fn failing(&self, node: &Node) -> Result<(String, &'static str), LoadError> {
        let load = || async { Err::<String, _>("down".to_owned()) };
        let fetched = self.time.block_on(node.names.fetch(&5, load))?;
        Ok((fetched.value, fetched.outcome.detail()))
    }

    /// A call whose load waits at the gate.
    fn gated(&self, node: &Node, gate: &Gate) -> Spawned<&'static str> {
        let (names, gate) = (node.names.clone(), gate.clone());
        let call = self.time.spawn(async move {
            let load = move || async move {
                gate.wait().await;
                "new".to_owned()
            };
            names.fetch(&5, load).await.unwrap().outcome.detail()
        });
        self.time.run_until_idle();
        call
    }
}

#[test]
fn bug_l7_who_has_something_old_waits_for_nothing_while_one_load_runs() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let node = shared.aging();
    shared.fetch(&node, "old");
    shared.time.advance(TTL);
    let gate = Gate::closed();
    for _ in 0..10 {
        let call = shared.gated(&node, &gate);
        assert!(call.is_finished(), "at once");
        assert_eq!(shared.time.block_on(call), "stale-refresh");
    }
    assert_eq!(gate.waiting(), 1, "one load");
    gate.open();
    shared.time.run_until_idle();
    assert_eq!(shared.fetch(&node, "newer"), says("new", "near"));
}

#[test]
fn bug_l8_what_one_node_refreshes_is_new_in_both_its_tiers_and_on_the_other_node() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = [shared.aging(), shared.aging()];
    shared.fetch(&one, "old");
    assert_eq!(shared.fetch(&two, "new"), says("old", "far"));
    shared.time.advance(TTL);
    assert_eq!(shared.fetch(&one, "new"), says("old", "stale-refresh"));
    shared.time.run_until_idle();
    assert_eq!(shared.fetch(&one, "newer"), says("new", "near"));
    assert_eq!(shared.fetch(&shared.aging(), "newer"), says("new", "far"));
    // The other looks far first where it would have loaded.
    assert_eq!(shared.fetch(&two, "newer"), says("old", "stale-refresh"));
    shared.time.run_until_idle();
    assert_eq!(shared.fetch(&two, "newer"), says("new", "near"));
    // The nodes above have taken their time to start.
    shared.time.advance(TTL - SECOND * 3);
    for node in [&one, &two] {
        assert_eq!(
            shared.fetch(node, "newer"),
            says("new", "near"),
            "its age began anew"
        );
    }
    assert_eq!(one.names.stats().loaded, 1, "and one refresh");
    assert_eq!(
        (two.names.stats().loaded, one.names.stats().refreshes),
        (0, 1)
    );
}

#[test]
fn t4_a_node_that_has_just_started_falls_back_to_what_the_server_has() {
    let Some(shared) = Shared::start() else {
        return;
    };
    shared.fetch(&shared.aging(), "old");
    shared.time.advance(TTL);
    let fresh = shared.aging();
    assert_eq!(
        shared.failing(&fresh).unwrap(),
        says("old", "stale-refresh")
    );
    shared.time.run_until_idle();
    assert_eq!(shared.failing(&fresh).unwrap(), says("old", "stale-error"));
    shared.time.advance(WINDOW);
    assert!(shared.failing(&fresh).is_err(), "the window is over");
    assert!(shared.failing(&shared.aging()).is_err());
}

#[test]
fn bug_b8_what_was_invalidated_is_no_fallback_on_any_node_and_what_was_expired_is() {
    let Some(shared) = Shared::start() else {
        return;
    };
    let [one, two] = [shared.aging(), shared.aging()];
    type Deed = fn(&Shared, &Node) -> Change;
    let deeds: [(Deed, bool); 3] = [
        (
            |shared, node| shared.time.block_on(node.names.invalidate(&5)),
            false,
        ),
        (
            |shared, node| shared.time.block_on(node.names.clear()),
            false,
        ),
        (
            |shared, node| shared.time.block_on(node.names.expire(&5)),
            true,
        ),
    ];
    for (number, (deed, serves)) in deeds.into_iter().enumerate() {
        for past in [Duration::ZERO, TTL] {
            shared.fetch(&one, "old");
            shared.fetch(&two, "old");
            shared.time.advance(past);
            assert_eq!(deed(&shared, &two), Change::Done);
            let fresh = shared.aging();
            for (who, node) in [&one, &two, &fresh].into_iter().enumerate() {
                let got = shared.failing(node).ok().map(|(value, _)| value);
                let wanted = serves.then(|| "old".to_owned());
                assert_eq!(got, wanted, "deed {number} after {past:?}, node {who}");
            }
            shared.time.advance(TTL);
            shared.time.block_on(one.names.invalidate(&5));
        }
    }
}
