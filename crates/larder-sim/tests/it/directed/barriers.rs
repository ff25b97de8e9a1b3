//! Barriers that are missing, or not what they were.

use std::time::Duration;

use larder_core::Store;
use larder_core::far::Abilities;
use larder_kit::Able;
use std::sync::Arc;

use crate::directed::rig::{SECOND, Tags};
use crate::directed::scenario;

scenario!(
    /// A barrier that is missing is none: an entry under it is dead before another is made.
    a_missing_barrier_is_not_taken_for_an_old_one,
    on [single, cluster],
    for [MissingIsDead, BarrierAtRead],
    |world| {
        let two = world.node();
        two.get(1);
        world.source.change();
        let _ = world.change(two.cache.clear());
        assert_eq!(world.node().get(1), 2);
    }
);

scenario!(
    /// Nor is one that was made anew.
    a_barrier_made_anew_is_another,
    on [single, cluster],
    for [BarrierAtRead],
    |world| {
        let two = world.node();
        two.fetch(1, Tags(&["fruit"], &[]));
        world.source.change();
        let _ = world.change(two.cache.invalidate_tag("fruit"));
        two.fetch(2, Tags(&["fruit"], &[]));
        assert_eq!(world.node().get(1), 2);
    }
);

scenario!(
    /// A server may evict any key: what is lost invalidates and brings nothing back.
    evicted_barriers_bring_nothing_back,
    on [single, cluster],
    for [MissingIsDead],
    |world| {
        let two = world.node();
        two.fetch(1, Tags(&["fruit"], &[]));
        world.source.change();
        let _ = world.change(two.cache.invalidate_tag("fruit"));
        let barriers = world.server().names().into_iter();
        for name in barriers.filter(|name| name.starts_with(b"{")) {
            world.server().evict(&name);
        }
        assert_eq!(world.node().get(1), 2);
    }
);

scenario!(
    /// `:clear` expiring under a busy cache: whoever stores lets it live on, where there is no
    /// heartbeat to do that.
    stores_keep_the_barrier_of_a_busy_cache_alive,
    on [single, cluster],
    for [BarriersRenewed],
    |world| {
        // Three times the ttl and the deadline of a load: 270 s.
        let ttl = Duration::from_secs(60);
        let node = || {
            let link = world.network.link(0);
            let redis = Arc::new(world.redis(&link));
            let guarded = redis.abilities().guarded.expect("it can guard");
            let mut abilities = Abilities::default();
            abilities.guarded = Some(guarded);
            let larder = world.larder(Able::new(world.redis(&link), abilities));
            let cache = larder.cache::<u64, u64>("numbers").ttl(ttl).far_only().build();
            (larder, cache.expect("the settings are in range"), link)
        };
        let (one, two) = (node(), node());
        let get = |cache: &larder_engine::Cache<u64, u64>, key: u64| {
            let source = world.source.clone();
            let load = move || async move { source.read().await };
            world.time.block_on(cache.get_or_load(&key, load)).expect("it does not fail")
        };
        for round in 0..20 {
            get(&one.1, round);
            world.settle();
            world.pass(SECOND * 35);
            get(&two.1, round);
            assert_eq!(world.source.reads(), round as usize + 1, "loaded twice in {round}");
            world.pass(SECOND * 5);
        }
    }
);
