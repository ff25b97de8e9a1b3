//! Loads that end after something was invalidated elsewhere, at a node that has not heard of it: what
//! they store must not be found by others.

use crate::directed::rig::Tags;
use crate::directed::scenario;

const KNOWN: Tags = Tags(&["fruit"], &[]);
const TOLD: Tags = Tags(&[], &["fruit"]);

scenario!(
    /// Token read after the load, and stored without compare.
    what_was_loaded_before_an_invalidation_is_stored_by_nobody,
    on [single, cluster],
    for [StoreCompare, FarTicketBeforeLoad],
    |world| {
        let (one, two) = (world.node(), world.node());
        let deaf = one.link.hold_messages();
        let gate = world.source.hold();
        let call = one.call(1, Tags::default());
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        gate.open();
        world.settle();
        assert_eq!(world.time.block_on(call), 1, "it has begun before");
        assert_eq!(two.get(1), 2);
        assert_eq!(world.node().get(1), 2);
        deaf.open();
    }
);

scenario!(
    /// A tag dropped during the load is compared, though the entry's token is what it was.
    what_was_loaded_before_its_tag_was_dropped_is_stored_by_nobody,
    on [single],
    for [BarrierAtStore],
    |world| {
        let (one, two) = (world.node(), world.node());
        let deaf = one.link.hold_messages();
        let gate = world.source.hold();
        let call = one.call(1, KNOWN);
        world.source.change();
        let _ = world.change(two.cache.invalidate_tag("fruit"));
        world.source.hurry();
        assert_eq!(two.fetch(1, KNOWN), 2, "loaded under the same token of the entry");
        gate.open();
        world.settle();
        drop(call);
        assert_eq!(world.node().fetch(1, KNOWN), 2);
        deaf.open();
    }
);

scenario!(
    /// Tag token before `:any`, in a store and in a change: who learns a tag from the value takes a
    /// token that is newer than the value.
    what_tells_its_tag_is_refused_if_any_tag_was_dropped,
    on [single, cluster],
    for [AnyLast, AnyDropped],
    |world| {
        let (one, two) = (world.node(), world.node());
        let deaf = one.link.hold_messages();
        let gate = world.source.hold();
        let call = one.call(1, TOLD);
        world.source.change();
        let _ = world.change(two.cache.invalidate_tag("fruit"));
        gate.open();
        world.settle();
        drop(call);
        world.source.hurry();
        assert_eq!(world.node().fetch(1, TOLD), 2);
        deaf.open();
    }
);

scenario!(
    /// V7: a token that comes twice. A failover brings back what was there before, so what was counted
    /// would be counted again.
    v7_no_token_comes_twice_though_a_failover_forgets,
    on [single, cluster],
    for [TokenAtRandom],
    |world| {
        let (one, two) = (world.node(), world.node());
        two.get(9);
        world.server().set_lag(None);
        let _ = world.change(two.cache.clear());
        let gate = world.source.hold();
        let call = one.call(1, Tags::default());
        let deaf = one.link.hold_messages();
        // Behind a proxy: no connection breaks.
        world.server().fail_over();
        world.source.hurry();
        world.source.change();
        let _ = world.change(two.cache.clear());
        assert_eq!(two.get(1), 2);
        let _ = world.change(two.cache.invalidate(&1));
        let held = world.source.hold();
        let other = two.call(1, Tags::default());
        gate.open();
        world.settle();
        world.source.hurry();
        assert_eq!(world.node().get(1), 2);
        held.open();
        deaf.open();
        drop((call, other));
    }
);
