//! One load, and what the others get of it.

use larder_engine::What;
use larder_kit::FarOperation;

use super::{LEASE, Nodes};
use crate::far::rig::{TAG, told};
use crate::support::{SECOND, Source};

#[test]
fn fc73_bug_a9_of_several_nodes_that_ask_at_once_one_loads() {
    let nodes = Nodes::new(4);
    let calls: Vec<_> = [0, 1, 1, 2, 3]
        .into_iter()
        .map(|node| nodes.call(node))
        .collect();
    nodes.time.advance(LEASE / 2);
    assert!(calls.iter().all(|call| !call.is_finished()));
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    let given = calls.into_iter().map(|call| nodes.ended(call));
    let given: Vec<_> = given.collect();
    let far = (1, "far");
    assert_eq!(given, [(1, "loaded"), far, (1, "joined"), far, far]);
    assert_eq!(nodes.source.calls(), 1);
    let waited = [0, 1, 2, 3].map(|node| nodes.waited(node));
    assert_eq!(waited, [(0, 0), (1, 0), (1, 0), (1, 0)]);
}

#[test]
fn bug_a9_without_a_lease_each_node_loads_once() {
    let nodes = Nodes::of(2, |cache| cache.far());
    let calls = [0, 0, 1, 1].map(|node| nodes.call(node));
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    let given = calls.map(|call| nodes.ended(call));
    let (loaded, joined) = ((1, "loaded"), (1, "joined"));
    assert_eq!(given, [loaded, joined, loaded, joined]);
    assert_eq!(nodes.source.calls(), 2);
}

#[test]
fn who_waits_is_told_of_and_so_is_who_waits_in_vain() {
    let nodes = Nodes::new(2);
    let waits = |what: &What| matches!(what, What::Waited | What::Lapsed);
    let events = nodes.all[1].larder.events(100);
    let told = || {
        let events = std::iter::from_fn(|| events.try_next()).map(|event| event.what);
        events.filter(waits).collect::<Vec<_>>()
    };
    nodes.call(0);
    nodes.call(1);
    assert_eq!(told(), [What::Waited]);
    nodes.time.advance(LEASE * 2);
    assert_eq!(told(), [What::Lapsed]);
    assert_eq!(nodes.waited(1), (1, 1));
}

#[test]
fn a_wake_between_a_read_and_the_wait_is_heard() {
    let nodes = Nodes::new(2);
    let first = nodes.call(0);
    let reply = nodes.all[1].slow.hold_after(FarOperation::Read);
    let second = nodes.call(1);
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(first), (1, "loaded"));
    reply.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(second), (1, "far"));
}

#[test]
fn what_is_invalidated_meanwhile_is_loaded_anew_and_by_one() {
    let nodes = Nodes::new(3);
    let first = nodes.call(0);
    let others = [nodes.call(1), nodes.call(2)];
    nodes.source.change();
    let invalidate = nodes.all[0].numbers.clone();
    nodes.begin(async move { invalidate.invalidate(&1).await });
    assert_eq!(nodes.source.calls(), 2, "at once, and not after the lease");
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(first), (1, "loaded"));
    let mut given = others.map(|call| nodes.ended(call));
    given.sort_unstable();
    assert_eq!(given, [(2, "far"), (2, "loaded")]);
    assert_eq!(nodes.source.calls(), 2);
}

#[test]
fn a_store_that_a_tag_refuses_lets_go_of_the_lease() {
    let nodes = Nodes::new(2);
    let first = told(&nodes.all[0].numbers, &nodes.source, &[TAG]);
    let first = nodes.begin(first);
    let ready = Source::ready();
    let second = ready.fetch(&nodes.all[1].numbers, 1);
    let second = nodes.begin(second);
    let tagged = nodes.all[0].numbers.clone();
    nodes.begin(async move { tagged.invalidate_tag(TAG).await });
    assert!(!second.is_finished(), "the entry's token is in place");
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.time.block_on(first).unwrap(), 1);
    assert_eq!(nodes.ended(second), (1, "loaded"));
    assert_eq!(ready.calls(), 1);
}

#[test]
fn a_put_ends_the_wait() {
    let nodes = Nodes::new(3);
    let holder = nodes.call(0);
    let waiter = nodes.call(1);
    let put = nodes.all[2].numbers.clone();
    nodes.begin(async move { put.put(&1, 7).await });
    assert_eq!(nodes.ended(waiter), (7, "far"));
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(holder), (1, "loaded"));
    nodes.time.advance(SECOND);
    assert_eq!(nodes.ended(nodes.call(2)), (7, "near"));
}

#[test]
fn fc34_a_refresh_of_what_is_there_waits_for_nobody() {
    let refreshed = |cache: larder_engine::CacheBuilder<u64, u64>| {
        cache
            .refresh(larder_engine::Refresh::At(0.5))
            .far()
            .lease(LEASE)
    };
    let nodes = Nodes::of(2, refreshed);
    nodes.source.gate.open();
    for node in [0, 1] {
        nodes.call(node);
    }
    nodes.time.advance(crate::support::TTL * 3 / 5);
    nodes.source.change();
    let given = [0, 1].map(|node| nodes.ended(nodes.call(node)));
    assert_eq!(given, [(1, "near"), (1, "near")]);
    assert_eq!([0, 1].map(|node| nodes.waited(node)), [(0, 0), (0, 0)]);
}
