//! What a master acknowledged and took along when it was killed.

use std::sync::Arc;
use std::time::Duration;

use larder::{Cache, Change, Larder};
use larder_redis::{Connection, Redis};
use larder_servers::{Sentinels, Server, until};
use smol::block_on;

use crate::callers::copied;
use crate::connects::{connect, runtime};
use crate::place::HOUR;

const DOWN_AFTER: Duration = Duration::from_millis(1000);
const WINDOW: Duration = Duration::from_secs(60);

/// A cache over the master, which sends again what was acknowledged lately or does not.
fn cache(wire: &Arc<Connection>, name: &str, again: bool) -> Cache<u64, u64> {
    let redis = Redis::over(wire.clone(), runtime(), "larder");
    let larder = Larder::builder().far(redis);
    let larder = if again {
        larder.requeue(WINDOW)
    } else {
        larder
    };
    let cache = larder.build().unwrap().cache(name);
    cache.ttl(HOUR).far_only().build().unwrap()
}

/// What the cache gives without a load.
fn held(cache: &Cache<u64, u64>) -> Option<u64> {
    block_on(cache.get(&5)).value().map(|value| *value)
}

fn fill(cache: &Cache<u64, u64>) {
    until("a value in the far tier", || {
        block_on(cache.get_or_load(&5, || async { 1 })).unwrap();
        held(cache)
    });
}

fn has(server: &Server, key: &str) -> bool {
    server.ask(&["EXISTS", key]).unwrap() == ["1"]
}

#[test]
fn what_a_killed_master_took_along_is_sent_again_where_that_is_asked_for() {
    let Some(sentinels) = Sentinels::start(DOWN_AFTER) else {
        return;
    };
    let wire = Arc::new(connect(&sentinels.url()));
    let (again, not) = (cache(&wire, "deals", true), cache(&wire, "users", false));
    fill(&again);
    fill(&not);
    let master = sentinels.master();
    let others = sentinels.servers().iter();
    let replicas: Vec<_> = others.filter(|one| one.port() != master.port()).collect();
    copied(master, &replicas);
    // From here on they are sent nothing more.
    replicas.iter().for_each(|replica| replica.pause());
    master.ask(&["CLIENT", "KILL", "TYPE", "replica"]).unwrap();
    for cache in [&again, &not] {
        assert_eq!(block_on(cache.invalidate(&5)), Change::Done);
    }
    let keys = ["larder:deals:5", "larder:users:5"];
    assert!(!keys.iter().any(|key| has(master, key)));
    master.kill();
    replicas.iter().for_each(|replica| replica.go_on());
    assert!(keys.iter().all(|key| has(replicas[0], key)));
    sentinels.until_other_than(master.port());
    until("what is sent again", || {
        let far = again.stats().far_tier?;
        (far.requeued > 0 && far.pending == 0).then_some(())
    });
    assert_eq!(held(&again), None);
    assert_eq!(held(&cache(&wire, "deals", false)), None, "on no node");
    until("what was forgotten", || held(&not));
}
