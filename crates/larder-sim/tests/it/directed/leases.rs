//! One load for all nodes, over the adapter.

use std::time::Duration;

use larder_engine::CacheBuilder;
use larder_sim::network::{Stage, called};

use crate::directed::rig::{Node, SECOND, Tags, World};
use crate::directed::scenario;

const LEASE: Duration = Duration::from_secs(2);

fn leased(cache: CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64> {
    cache.far().lease(LEASE)
}

fn node(world: &World) -> Node {
    world.node_with(leased)
}

scenario!(
    /// A cold key that all nodes ask for at once.
    fc73_of_several_nodes_that_ask_at_once_one_loads,
    on [single, cluster],
    for [LeaseAwaited, WakeSent],
    |world| {
        let nodes = [(); 4].map(|()| node(&world));
        let gate = world.source.hold();
        let calls = nodes.each_ref().map(|node| node.call(1, Tags::default()));
        gate.open();
        world.settle();
        for call in calls {
            assert!(call.is_finished(), "nobody waits for the end of the lease");
            assert_eq!(world.time.block_on(call), 1);
        }
        assert_eq!(world.source.reads(), 1);
    }
);

scenario!(
    /// A node that takes the lease and is never heard of again.
    a_holder_that_died_costs_the_lease_and_no_more,
    on [single, cluster],
    for [LeaseEnds],
    |world| {
        let (dead, alive) = (node(&world), node(&world));
        let gate = world.source.hold();
        let lost = dead.call(1, Tags::default());
        world.source.hurry();
        let call = alive.call(1, Tags::default());
        world.pass(LEASE - SECOND / 2);
        assert!(!call.is_finished());
        world.pass(SECOND);
        assert!(call.is_finished());
        assert_eq!(world.time.block_on(call), 1);
        drop((gate, lost));
    }
);

scenario!(
    /// A store that an invalidation has overtaken, and who waits for it.
    who_waits_for_a_load_that_an_invalidation_overtook_loads_anew,
    on [single, cluster],
    for [],
    |world| {
        let (one, two) = (node(&world), node(&world));
        let gate = world.source.hold();
        let old = one.call(1, Tags::default());
        let call = two.call(1, Tags::default());
        world.source.change();
        world.source.hurry();
        let _ = world.change(one.cache.invalidate(&1));
        assert!(call.is_finished());
        assert_eq!(world.time.block_on(call), 2);
        gate.open();
        world.settle();
        drop(old);
        assert_eq!(node(&world).get(1), 2);
    }
);

scenario!(
    /// Between two trips of a read another node makes the token, loads and stores.
    who_comes_too_late_to_make_a_token_takes_what_was_stored_under_it,
    on [single, cluster],
    for [],
    |world| {
        // With a lease or without: the value is there.
        for build in [CacheBuilder::far, leased] {
            let (one, two) = (world.node_with(build), world.node_with(build));
            // The barriers: only the entry's token is to be made.
            one.get(2);
            let before = world.source.reads();
            let makes = two.link.hold(Stage::There, called("SET"));
            let late = two.call(1, Tags::default());
            assert_eq!(one.get(1), 1);
            makes.open();
            world.settle();
            assert!(late.is_finished());
            assert_eq!(world.time.block_on(late), 1);
            assert_eq!(world.source.reads() - before, 1);
            let _ = world.change(one.cache.invalidate(&1));
        }
    }
);
