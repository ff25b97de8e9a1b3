//! Tokens that nobody needs any more, and versions of a program after each other.

use std::time::Duration;

use larder_engine::Cache;

use crate::directed::rig::{TTL, Tags, World};
use crate::directed::scenario;

#[derive(Debug)]
struct Failed;

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("on purpose")
    }
}

impl std::error::Error for Failed {}

scenario!(
    /// A failed load that keeps the lease: others would wait for who does not load any more.
    a_load_that_failed_lets_go_of_its_token,
    on [single, cluster],
    for [TokenReleased],
    |world| {
        let one = world.node();
        let load = || async { Err::<Option<u64>, _>(Failed) };
        let end = world.time.block_on(one.cache.get_or_load(&1, load));
        assert!(end.is_err());
        world.settle();
        assert_eq!(world.entries(), 0);
    }
);

/// A node that runs a version whose values have another shape.
fn other(world: &World) -> (larder_engine::Larder, Cache<u64, (u64, bool)>) {
    let larder = world.larder(world.redis(&world.network.link(0)));
    let cache = larder.cache("numbers").ttl(TTL).far().build();
    world.beat();
    (larder, cache.expect("the settings are in range"))
}

fn get(world: &World, cache: &Cache<u64, (u64, bool)>) -> u64 {
    let source = world.source.clone();
    let load = move || async move { (source.read().await, true) };
    let value = world.time.block_on(cache.get_or_load(&1, load));
    world.settle();
    value.expect("it does not fail").0
}

scenario!(
    /// Version A invalidates, then the rollback to B, whose old entry is still there.
    what_one_version_invalidates_is_gone_for_the_other,
    on [single, cluster],
    for [SchemaOutsideName],
    |world| {
        let old = other(&world);
        assert_eq!(get(&world, &old.1), 1);
        drop(old);
        let new = world.node();
        assert_eq!(new.get(1), 1);
        world.source.change();
        let _ = world.change(new.cache.invalidate(&1));
        drop(new);
        let back = other(&world);
        assert_eq!(get(&world, &back.1), 2);
    }
);

scenario!(
    /// Expire racing a load: one that runs when its entry is expired stores nothing fresh.
    an_expiry_refuses_the_loads_before_it,
    on [single, cluster],
    for [ExpireNewToken],
    |world| {
        // A part of the other shape: the entry outlives its expiry.
        let old = other(&world);
        get(&world, &old.1);
        let (one, two) = (world.node(), world.node());
        let deaf = one.link.hold_messages();
        let gate = world.source.hold();
        let call = one.call(1, Tags::default());
        world.source.hurry();
        world.source.change();
        let _ = world.change(two.cache.expire(&1));
        gate.open();
        world.settle();
        drop(call);
        assert_eq!(world.node().get(1), 2);
        deaf.open();
    }
);

scenario!(
    /// What a failover forgot lives no longer than an entry does.
    an_invalidation_that_a_failover_forgot_is_over_with_the_ttl,
    on [single, cluster],
    for [],
    |world| {
        let two = world.node();
        two.get(1);
        world.server().set_lag(None);
        world.source.change();
        let _ = world.change(two.cache.invalidate(&1));
        world.network.fail_over();
        world.settle();
        assert_eq!(world.node().get(1), 1, "forgotten, as is documented");
        world.pass(TTL + Duration::from_secs(1));
        assert_eq!(world.node().get(1), 2);
    }
);
