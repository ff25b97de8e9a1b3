//! A replica that takes over and never heard of what was acknowledged.

use std::time::Duration;

use larder_engine::CacheBuilder;

use crate::directed::rig::{Node, SECOND, World};
use crate::directed::scenario;

/// A node that sends what was acknowledged lately again.
fn repeating(world: &World) -> Node {
    world.node_under(|larder| larder.requeue(10 * SECOND), CacheBuilder::far)
}

/// What the source says now is nowhere: the far store holds what was invalidated, and only its replica
/// does not know of that.
fn forgotten(world: &World, node: &Node) {
    assert_eq!(node.get(1), 1);
    world.server().set_lag(None);
    world.source.change();
    let _ = world.change(node.cache.invalidate(&1));
}

scenario!(
    /// What a failover forgot is sent again by whom it was acknowledged to, and not believed until then.
    what_a_failover_forgot_is_sent_again,
    on [single, cluster],
    for [Requeue],
    |world| {
        let one = repeating(&world);
        forgotten(&world, &one);
        world.network.fail_over();
        world.settle();
        assert_eq!(one.get(1), 2, "it is not believed");
        world.pass(SECOND);
        assert_eq!(one.pending(), 0);
        assert_eq!(world.node().get(1), 2);
    }
);

scenario!(
    /// Behind a proxy no connection breaks, and only the number tells.
    what_a_failover_forgot_is_sent_again_though_no_connection_broke,
    on [single, cluster],
    for [Requeue, NumberBehind],
    |world| {
        let one = repeating(&world);
        forgotten(&world, &one);
        world.server().fail_over();
        world.beat();
        world.pass(SECOND);
        assert_eq!(one.get(1), 2);
        assert_eq!(world.node().get(1), 2);
    }
);

scenario!(
    /// Numbers that were heard before come again with other messages: who has heard them would miss none.
    a_message_that_is_lost_after_a_failover_is_missed,
    on [single, cluster],
    for [NumberBehind],
    |world| {
        let (one, two) = (world.node(), world.node());
        world.server().set_lag(None);
        let _ = world.change(two.cache.invalidate(&9));
        world.server().fail_over();
        world.beat();
        assert_eq!(one.get(1), 1);
        one.link.lose_messages(1);
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        world.pass(3 * SECOND + Duration::from_millis(100));
        assert_eq!(one.get(1), 2);
    }
);
