//! Leases that end without a value.

use std::time::Duration;

use larder_core::{LoadErrorKind, Runtime};
use larder_engine::CallOptions;
use larder_kit::{FarOperation, Fault};

use super::{LEASE, Nodes};
use crate::support::{SECOND, Source};

/// More than a step of the clock.
const STEP: Duration = Duration::from_millis(20);

#[derive(Debug)]
struct Failed;

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("on purpose")
    }
}

#[test]
fn a_holder_that_died_costs_the_lease_and_no_more() {
    let nodes = Nodes::new(2);
    nodes.dies_with_the_lease();
    let calls = [nodes.call(0), nodes.call(1)];
    nodes.time.advance(LEASE - STEP);
    assert_eq!(nodes.source.calls(), 0);
    nodes.time.advance(STEP * 2);
    assert_eq!(nodes.source.calls(), 2, "both under the same token");
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    for call in calls {
        assert_eq!(nodes.ended(call), (1, "loaded"));
    }
    assert_eq!([0, 1].map(|node| nodes.waited(node)), [(1, 1), (1, 1)]);
    assert!(!nodes.is_leased(), "who took over has stored");
}

#[test]
fn a_wake_that_is_lost_costs_the_lease_and_no_more() {
    let nodes = Nodes::new(2);
    let first = nodes.call(0);
    let second = nodes.call(1);
    nodes.all[1].bus.cut();
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(first), (1, "loaded"));
    assert!(!second.is_finished());
    nodes.time.advance(LEASE + STEP);
    assert_eq!(nodes.ended(second), (1, "far"));
    assert_eq!(nodes.source.calls(), 1);
}

#[test]
fn bug_a10_the_next_node_loads_at_once_where_a_load_failed() {
    let nodes = Nodes::new(2);
    let (cache, gate) = (nodes.all[0].numbers.clone(), nodes.source.gate.clone());
    let first = nodes.begin(async move {
        let load = move || async move {
            gate.wait().await;
            Err::<u64, _>(Failed)
        };
        cache.get_or_load(&1, load).await
    });
    let ready = Source::ready();
    let second = nodes.begin(ready.fetch(&nodes.all[1].numbers, 1));
    assert!(!second.is_finished());
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    let error = nodes.time.block_on(first).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Source);
    assert_eq!(nodes.ended(second), (1, "loaded"));
}

#[test]
fn bug_a10_of_nodes_whose_loads_all_fail_none_waits_longer_than_a_lease() {
    let nodes = Nodes::new(6);
    let took = SECOND;
    let calls: Vec<_> = nodes
        .all
        .iter()
        .map(|node| {
            let (cache, time) = (node.numbers.clone(), nodes.time.clone());
            nodes.begin(async move {
                let load = move || async move {
                    time.sleep(took).await;
                    Err::<u64, _>(Failed)
                };
                cache
                    .get_or_load(&1, load)
                    .await
                    .map_err(|error| error.kind())
            })
        })
        .collect();
    nodes.time.advance(LEASE + took + STEP);
    for call in calls {
        assert!(call.is_finished(), "not one after the other");
        assert_eq!(nodes.time.block_on(call), Err(LoadErrorKind::Source));
    }
}

#[test]
fn bug_a1_the_next_node_loads_at_once_where_the_last_caller_has_left() {
    let nodes = Nodes::new(2);
    let (cache, source) = (nodes.all[0].numbers.clone(), nodes.source.clone());
    let first = nodes.begin(async move {
        let options = CallOptions::new().cancel();
        cache.fetch_with(&1, options, move || source.read()).await
    });
    let ready = Source::ready();
    let second = nodes.begin(ready.fetch(&nodes.all[1].numbers, 1));
    assert!(!second.is_finished());
    first.cancel();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(second), (1, "loaded"));
}

#[test]
fn fc74_who_leaves_while_it_waits_is_no_failure_and_leaves_nothing() {
    let nodes = Nodes::new(2);
    let first = nodes.call(0);
    let cache = nodes.all[1].numbers.clone();
    let second = nodes.begin(async move {
        let options = CallOptions::new().cancel();
        cache.fetch_with(&1, options, || async { 9 }).await
    });
    second.cancel();
    nodes.time.run_until_idle();
    let stats = nodes.all[1].numbers.stats();
    assert_eq!((stats.abandoned, stats.failed, stats.running), (1, 0, 0));
    assert_eq!(stats.far_tier.unwrap().failures, 0);
    assert!(nodes.is_leased(), "it was not the holder");
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(first), (1, "loaded"));
}

#[test]
fn a_value_that_does_not_fit_lets_go_of_the_lease() {
    let nodes = Nodes::of(2, |cache| cache.max_frame(8).far().lease(LEASE));
    let (first, second) = (nodes.call(0), nodes.call(1));
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(first), (1, "loaded"));
    assert_eq!(nodes.ended(second), (1, "loaded"));
}

#[test]
fn a_store_that_gets_no_answer_costs_the_lease_and_no_more() {
    let nodes = Nodes::new(2);
    let (first, second) = (nodes.call(0), nodes.call(1));
    let failing = &nodes.all[0].failing;
    failing.fail(FarOperation::StoreIf, Fault::NotSent, 1);
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(first), (1, "loaded"));
    nodes.time.advance(LEASE + STEP);
    assert_eq!(nodes.ended(second), (1, "loaded"));
}

#[test]
fn a_call_with_a_deadline_tighter_than_the_lease_has_half_of_it_left_for_its_load() {
    let nodes = Nodes::new(1);
    nodes.dies_with_the_lease();
    let deadline = LEASE / 4;
    let (cache, source) = (nodes.all[0].numbers.clone(), Source::ready());
    let call = nodes.begin(async move {
        let options = CallOptions::new().deadline(deadline);
        cache.fetch_with(&1, options, move || source.read()).await
    });
    nodes.time.advance(deadline / 2 - STEP);
    assert!(!call.is_finished());
    nodes.time.advance(STEP * 2);
    assert_eq!(nodes.ended(call), (1, "loaded"));
}

#[test]
fn bug_a13_who_has_held_the_lease_for_too_long_lets_go_of_nothing() {
    let nodes = Nodes::new(3);
    let (cache, failing) = (nodes.all[0].numbers.clone(), Source::held());
    let gate = failing.gate.clone();
    let first = nodes.begin(async move {
        let load = move || async move {
            gate.wait().await;
            Err::<u64, _>(Failed)
        };
        cache.get_or_load(&1, load).await
    });
    let second = nodes.call(1);
    nodes.time.advance(LEASE + STEP);
    assert_eq!(nodes.source.calls(), 1, "the second has taken over");
    let third = nodes.call(2);
    failing.gate.open();
    nodes.time.run_until_idle();
    assert!(nodes.time.block_on(first).is_err());
    assert!(nodes.is_leased(), "by the second");
    assert_eq!(nodes.source.calls(), 1, "the third does not load beside it");
    nodes.source.gate.open();
    nodes.time.run_until_idle();
    assert_eq!(nodes.ended(second), (1, "loaded"));
    assert_eq!(nodes.ended(third), (1, "far"));
}
