//! A server that refuses what touches two slots: one node that holds all slots of a cluster.

use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use larder::Larder;
use larder_core::far::{
    Barrier, Bus, FarError, Guarded, Message, Missing, Put, Read, Sink, Space, Stored, Sweep, Want,
};
use larder_core::{Address, BoxFuture, Removed, Store, Ttl};
use larder_redis::{Connection, Ear, Redis, Reply, Request, Wire};
use smol::block_on;

use crate::place::{HOUR, Place, deals, part};

/// A connection to a node, as what it is part of.
struct Clustered(Arc<Connection>);

impl Wire for Clustered {
    fn send(&self, batch: Vec<Request>) -> BoxFuture<'_, Result<Vec<Reply>, FarError>> {
        self.0.send(batch)
    }

    fn is_cluster(&self) -> bool {
        true
    }

    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>> {
        self.0.masters()
    }

    fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        self.0.subscribe(channel, ear);
    }
}

/// The node, serving all slots, with the adapter on it.
fn node() -> Option<(Place, Redis)> {
    let place = Place::start_with(&["--cluster-enabled", "yes"])?;
    let slots: Vec<_> = (0..16384).map(|slot: u32| slot.to_string()).collect();
    let add: Vec<_> = slots.iter().map(|slot| slot.as_bytes()).collect();
    let added = place.ask("CLUSTER", &[&[&b"ADDSLOTS"[..]], &add[..]].concat());
    assert_eq!(added, Reply::ok());
    assert!(
        (0..1_000_000).any(|_| is_up(&place)),
        "the node never serves"
    );
    let runtime = Arc::new(larder::Smol::global());
    let redis = Redis::over(Arc::new(Clustered(place.wire.clone())), runtime, "larder");
    Some((place, redis))
}

fn is_up(place: &Place) -> bool {
    let Reply::Bytes(info) = place.ask("CLUSTER", &[b"INFO"]) else {
        return false;
    };
    String::from_utf8_lossy(&info).contains("cluster_state:ok")
}

fn read(redis: &Redis, space: &Space, key: &[u8], tags: &[&str], want: Want) -> Read {
    block_on(redis.read(space, &[key], tags, want))
        .unwrap()
        .remove(0)
}

fn fill(redis: &Redis, space: &Space, key: &[u8], known: &[&str], tags: &[&str]) -> Stored {
    let ticket = read(redis, space, key, known, Want::Load).ticket.unwrap();
    block_on(redis.store_if(space, key, &ticket, part("five", tags, HOUR))).unwrap()
}

#[test]
fn the_node_refuses_what_touches_two_slots() {
    let Some((place, _)) = node() else { return };
    let refused = place.ask("MGET", &[b"one", b"two"]);
    assert!(matches!(refused, Reply::Error { code, .. } if code == "CROSSSLOT"));
}

/// Its URL should have said `redis+cluster`.
#[test]
fn bug_g10_a_node_that_is_taken_for_a_single_server_is_no_error_of_a_caller() {
    let Some((place, _)) = node() else { return };
    let larder = Larder::builder().far(place.redis).build().unwrap();
    let cache = larder.cache("deals").ttl(HOUR).far_only().build().unwrap();
    for key in 0..100_u64 {
        let load = cache.get_or_load(&key, move || async move { key });
        assert_eq!(block_on(load).unwrap(), key);
    }
    let stats = cache.stats();
    assert_eq!((stats.far, stats.failed, stats.loaded), (0, 0, 100));
    let far = stats.far_tier.unwrap();
    assert!(far.failures > 0 && far.down, "it is left alone: {far:?}");
}

#[test]
fn every_operation_works_where_nothing_may_touch_two_slots() {
    let Some((place, redis)) = node() else { return };
    operations(&redis);
    place.all_end();
    assert!(block_on(redis.purge("deals")).unwrap() >= 5);
    assert!(place.keys().is_empty(), "{:?}", place.keys());
}

/// Every operation once or twice, on keys of several slots.
pub(crate) fn operations(redis: &Redis) {
    let deals = &deals();
    let keys: [&[u8]; 3] = [b"5", b"6", b"{x}y"];
    for key in keys {
        assert_eq!(fill(redis, deals, key, &["tag"], &["tag"]), Stored::Stored);
        assert_eq!(
            fill(redis, deals, key, &[], &["tag", "new"]),
            Stored::Stored
        );
    }
    let found = block_on(redis.read(deals, &keys, &[], Want::Look)).unwrap();
    assert!(
        found
            .iter()
            .all(|read| read.found.is_some() && read.ticket.is_some())
    );

    let other = &Space::new("deals".into(), 1, 8);
    assert_eq!(fill(redis, other, b"5", &[], &[]), Stored::Stored);
    assert!(
        read(redis, deals, b"5", &[], Want::Look).found.is_some(),
        "of two shapes"
    );

    let ticket = read(redis, deals, b"6", &["tag"], Want::Load)
        .ticket
        .unwrap();
    let put = |tags| block_on(redis.put_if(deals, b"6", &ticket, part("put", tags, HOUR))).unwrap();
    assert_eq!(put(&["tag"]), Put::Stored);
    assert_eq!(
        put(&["tag", "third"]),
        Put::Deleted,
        "the ticket is used up"
    );

    block_on(redis.expire(deals, &keys)).unwrap();
    assert!(
        read(redis, deals, b"5", &[], Want::Look)
            .found
            .unwrap()
            .expired
    );
    block_on(redis.drop_barrier(deals, Barrier::Tag("new"))).unwrap();
    let dead = read(redis, deals, b"5", &[], Want::Load);
    assert_eq!(dead.missing, Missing::Tag);
    assert_eq!(fill(redis, deals, b"5", &[], &["tag"]), Stored::Stored);
    block_on(redis.drop_barrier(deals, Barrier::All)).unwrap();
    let cleared = read(redis, deals, b"5", &[], Want::Load);
    assert_eq!(cleared.missing, Missing::Cleared);
    block_on(redis.release(deals, b"5", &cleared.ticket.unwrap())).unwrap();
    assert!(
        !read(redis, deals, b"5", &[], Want::Load).held,
        "it was let go"
    );
    block_on(redis.invalidate(deals, &keys)).unwrap();
    plain(redis, &keys);
}

/// The operations of a plain store.
fn plain(redis: &Redis, keys: &[&[u8]; 3]) {
    let all = keys.map(|key| Address::new("deals", key));
    let ttl = Ttl::new(Duration::from_secs(60)).unwrap();
    for address in all {
        block_on(redis.put(address, "bytes".into(), ttl)).unwrap();
    }
    assert_eq!(block_on(redis.get_many(&all)).unwrap().len(), 3);
    assert_eq!(
        block_on(redis.remove_many(&all[..1])).unwrap(),
        [Removed::Removed]
    );
}

/// The numbers that were heard, and 0 for each loss.
#[derive(Default)]
pub(crate) struct Numbers {
    all: Mutex<Vec<u64>>,
    more: Condvar,
}

impl Numbers {
    fn hear(&self, number: u64) {
        self.all.lock().unwrap().push(number);
        self.more.notify_all();
    }

    pub(crate) fn wait(&self, count: usize) -> Vec<u64> {
        let all = self.all.lock().unwrap();
        let late = Duration::from_secs(30);
        let wait = self
            .more
            .wait_timeout_while(all, late, |all| all.len() < count);
        wait.unwrap().0.clone()
    }
}

impl Sink for Numbers {
    fn receive(&self, message: Message) {
        self.hear(message.number);
    }

    fn lost(&self) {
        self.hear(0);
    }
}

#[test]
fn messages_of_a_cluster_are_numbered_and_come() {
    let Some((_place, redis)) = node() else {
        return;
    };
    messages(&redis);
}

/// Hears of every kind of change.
pub(crate) fn messages(redis: &Redis) {
    // A cache of its own: what others have told may still be on its way to the node that is heard.
    let deals = &Space::new("told".into(), 1, 7);
    let numbers = Arc::new(Numbers::default());
    let weak: Weak<Numbers> = Arc::downgrade(&numbers);
    redis.listen(deals, weak);
    assert_eq!(numbers.wait(1), [0], "the subscription stands");
    let first = block_on(redis.number(deals)).unwrap();
    block_on(async {
        redis.invalidate(deals, &[b"5", b"6"]).await.unwrap();
        redis.expire(deals, &[b"5"]).await.unwrap();
        redis
            .drop_barrier(deals, Barrier::Tag("tag"))
            .await
            .unwrap();
        redis.drop_barrier(deals, Barrier::All).await.unwrap();
    });
    let wanted: Vec<_> = std::iter::once(0).chain(first + 1..=first + 5).collect();
    assert_eq!(numbers.wait(wanted.len()), wanted);
    assert_eq!(block_on(redis.number(deals)).unwrap(), first + 5);
}
