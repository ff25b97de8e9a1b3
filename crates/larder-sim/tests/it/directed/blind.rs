//! Nodes that do not hear of the others.

use crate::directed::rig::{BOUND, SECOND, Tags};
use crate::directed::scenario;

scenario!(
    /// V8: the number is lost and a message with it. What starts again must not look as if nothing had
    /// been missed.
    v8_a_lost_number_does_not_start_where_it_was,
    on [single, cluster],
    for [NumberAtRandom],
    |world| {
        let (one, two) = (world.node(), world.node());
        let _ = world.change(two.cache.invalidate(&9));
        world.beat();
        one.get(1);
        world.server().evict(b"{larder:numbers}:number");
        one.link.lose_messages(1);
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        world.pass(BOUND);
        assert_eq!(one.get(1), 2);
    }
);

scenario!(
    /// V9a: a slow load at a node that is cut off. Its value is as old as its ticket, not as its end.
    v9a_blindness_counts_from_the_ticket,
    on [single],
    for [SightFromTicket],
    |world| {
        let (one, two) = (world.node(), world.node());
        let gate = world.source.hold();
        let call = one.call(1, Tags::default());
        one.link.silence_messages();
        one.link.cut_commands();
        world.source.hurry();
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        world.pass(SECOND * 4);
        gate.open();
        world.settle();
        drop(call);
        world.pass(SECOND * 2);
        assert_eq!(one.get(1), 2);
    }
);

scenario!(
    /// V9b: a call of a blind node meets a load that began long ago.
    v9b_a_blind_node_joins_no_old_load,
    on [single],
    for [HandOutSight],
    |world| {
        let (one, two) = (world.node(), world.node());
        let gate = world.source.hold();
        let first = one.call(1, Tags::default());
        one.link.silence_messages();
        one.link.cut_commands();
        world.source.hurry();
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        world.pass(SECOND * 6);
        let second = one.call(1, Tags::default());
        gate.open();
        world.settle();
        drop(first);
        assert_eq!(world.time.block_on(second), 2);
    }
);

scenario!(
    /// A message is lost and nobody is told: the heartbeat tells.
    a_lost_message_is_noticed_within_the_bound,
    on [single, cluster],
    for [HeartbeatRaise],
    |world| {
        let (one, two) = (world.node(), world.node());
        one.get(1);
        one.link.lose_messages(1);
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        world.pass(BOUND);
        assert_eq!(one.get(1), 2);
    }
);

scenario!(
    /// A message is lost and a younger one comes: the gap tells.
    a_gap_is_noticed_at_once,
    on [single, cluster],
    for [GapRaise],
    |world| {
        let (one, two) = (world.node(), world.node());
        one.get(1);
        one.link.lose_messages(1);
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        let _ = world.change(two.cache.invalidate(&9));
        assert_eq!(one.get(1), 2);
    }
);

scenario!(
    /// The connection for messages breaks and comes back: whatever was told meanwhile is obeyed.
    what_a_broken_connection_missed_is_obeyed_when_it_stands,
    on [single, cluster],
    for [LossRaise],
    |world| {
        let (one, two) = (world.node(), world.node());
        one.get(1);
        one.link.silence_messages();
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        one.link.mend_messages();
        world.settle();
        assert_eq!(one.get(1), 2);
    }
);

scenario!(
    /// What is heard is obeyed.
    a_message_is_obeyed_at_once,
    on [single, cluster],
    for [MessageRaise],
    |world| {
        let (one, two) = (world.node(), world.node());
        one.get(1);
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        assert_eq!(one.get(1), 2);
    }
);
