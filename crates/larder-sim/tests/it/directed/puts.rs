//! Values that functions put.

use larder_sim::network::{Stage, called};

use crate::directed::rig::Tags;
use crate::directed::scenario;

scenario!(
    /// V5b: a put that runs after its writer gave up and another has invalidated.
    v5b_a_late_put_only_deletes,
    on [single, cluster],
    for [PutCompare],
    |world| {
        let (one, two) = (world.node(), world.node());
        let late = one.link.hold(Stage::There, called("put"));
        let update = one.update(1);
        assert_eq!(late.waiting(), 1);
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        late.open();
        world.settle();
        assert_eq!(world.node().get(1), 3);
        drop(update);
    }
);

scenario!(
    /// A put makes a new token: a load that began before it is refused.
    a_put_voids_the_loads_before_it,
    on [single, cluster],
    for [PutNewToken],
    |world| {
        let (one, two) = (world.node(), world.node());
        let deaf = one.link.hold_messages();
        let gate = world.source.hold();
        let call = one.call(1, Tags::default());
        world.source.hurry();
        let update = two.update(1);
        assert_eq!(world.time.block_on(update), 2);
        gate.open();
        world.settle();
        drop(call);
        assert_eq!(world.node().get(1), 2);
        deaf.open();
    }
);

scenario!(
    /// V5a: two writers of one key on two nodes; the one whose put comes last wrote first.
    v5a_of_two_writers_the_order_of_the_source_counts,
    on [single, cluster],
    for [PutCompare],
    |world| {
        let (one, two) = (world.node(), world.node());
        let deaf = one.link.hold_messages();
        let gate = world.source.hold();
        let first = one.update(1);
        world.source.hurry();
        let second = two.update(1);
        assert_eq!(world.time.block_on(second), 3);
        gate.open();
        assert_eq!(world.time.block_on(first), 2, "what it wrote");
        world.settle();
        assert_eq!(world.node().get(1), 3);
        deaf.open();
        world.settle();
        assert_eq!(one.get(1), 3);
    }
);
