//! Servers that are full, take no writes, or lost what they had.

use larder_engine::Change;

use crate::directed::scenario;

scenario!(
    /// Full server: it takes every change, though nothing can be stored.
    a_full_server_takes_every_change,
    on [single, cluster],
    for [],
    |world| {
        let (one, two) = (world.node(), world.node());
        one.get(1);
        one.get(2);
        world.server().set_full(true);
        let new = world.source.change();
        assert_eq!(world.change(two.cache.invalidate(&1)), Change::Done);
        assert_eq!(world.change(two.cache.put(&2, new)), Change::Done);
        for node in [&one, &two, &world.node()] {
            assert_eq!((node.get(1), node.get(2)), (2, 2));
        }
        let last = world.source.change();
        assert_eq!(world.change(two.cache.clear()), Change::Done);
        for node in [&one, &two] {
            assert_eq!(node.get(1), last);
        }
    }
);

scenario!(
    /// A master that has become a replica takes no change: it is queued, and told when it can be.
    a_read_only_server_is_told_later,
    on [single, cluster],
    for [],
    |world| {
        let (one, two) = (world.node(), world.node());
        one.get(1);
        two.get(1);
        world.server().set_read_only(true);
        world.source.change();
        assert_eq!(world.change(two.cache.invalidate(&1)), Change::Queued);
        assert_eq!(two.get(1), 2);
        world.server().set_read_only(false);
        world.pass(std::time::Duration::from_secs(30));
        assert_eq!(two.pending(), 0);
        assert_eq!((one.get(1), world.node().get(1)), (2, 2));
    }
);

scenario!(
    /// A server that starts empty has invalidated everything.
    a_server_that_lost_its_data_brings_nothing_back,
    on [single, cluster],
    for [],
    |world| {
        let (one, two) = (world.node(), world.node());
        one.get(1);
        world.network.restart(false);
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        assert_eq!((one.get(1), two.get(1), world.node().get(1)), (2, 2, 2));
    }
);
