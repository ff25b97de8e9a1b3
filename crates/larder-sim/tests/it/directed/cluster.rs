//! Changes that are several requests, each on a server of its own.

use larder_engine::Change;
use larder_sim::network::{Stage, called};

use crate::directed::scenario;

scenario!(
    /// V12: a message that goes out before the write. Who hears it reads the old value again, and is
    /// told nothing more.
    v12_a_message_follows_what_it_tells_of,
    on [cluster],
    for [MessageLast],
    |world| {
        let (one, two) = (world.node(), world.node());
        one.get(1);
        world.source.change();
        let write = two.link.hold(Stage::There, called("UNLINK"));
        let cache = two.cache.clone();
        let change = two.begin(async move { cache.invalidate(&1).await });
        assert_eq!(write.waiting(), 1);
        assert_eq!(one.get(1), 1, "nothing has happened yet");
        write.open();
        assert_eq!(world.time.block_on(change), Change::Done);
        world.settle();
        assert_eq!(one.get(1), 2);
    }
);
