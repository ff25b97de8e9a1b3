//! What goes where on a cluster, and in which order.

use bytes::Bytes;
use futures_lite::future::block_on;
use larder_core::far::{Barrier, Bus, Change, Guarded, Part, Space, Sweep, Want};
use larder_core::{Address, Store};
use larder_redis::{Redis, Request};

use crate::told::{Told, empty, keys};
use crate::{deals, over};

/// What of a key decides where it lies.
fn hashed(key: &Bytes) -> &[u8] {
    let start = key.iter().position(|byte| *byte == b'{');
    let rest = start.map(|start| &key[start + 1..]);
    let tag = rest.and_then(|rest| Some(&rest[..rest.iter().position(|byte| *byte == b'}')?]));
    tag.filter(|tag| !tag.is_empty()).unwrap_or(key)
}

fn in_one_slot(request: &Request) -> bool {
    let keys = keys(request);
    keys.windows(2)
        .all(|pair| hashed(&pair[0]) == hashed(&pair[1]))
}

fn value<'a>(tags: &'a [&'a str]) -> Part<'a> {
    let ends = std::time::Duration::from_secs(60);
    let bytes = "five".into();
    Part { bytes, tags, ends }
}

async fn everything(redis: &Redis, deals: &Space) {
    let keys: [&[u8]; 4] = [b"5", b"6", b"{x}y", b"{"];
    let reads = redis
        .read(deals, &keys, &["tag"], Want::Load)
        .await
        .unwrap();
    let ticket = reads[0].ticket.as_ref().unwrap();
    for tags in [&["tag"][..], &["tag", "new"]] {
        redis
            .store_if(deals, b"5", ticket, value(tags))
            .await
            .unwrap();
        redis
            .put_if(deals, b"5", ticket, value(tags))
            .await
            .unwrap();
    }
    redis.release(deals, b"5", ticket).await.unwrap();
    redis.expire(deals, &keys).await.unwrap();
    redis.invalidate(deals, &keys).await.unwrap();
    redis
        .drop_barrier(deals, Barrier::Tag("tag"))
        .await
        .unwrap();
    redis.drop_barrier(deals, Barrier::All).await.unwrap();
    redis.number(deals).await.unwrap();
    redis.publish(deals, Change::All).await.unwrap();
    redis.purge("deals").await.unwrap();
    let all = keys.map(|key| Address::new("deals", key));
    redis.remove_many(&all).await.unwrap();
}

#[test]
fn no_request_touches_two_slots_of_a_cluster() {
    let wire = Told::cluster(empty);
    block_on(everything(&over(&wire), &deals()));
    let asked = wire.asked.lock().unwrap();
    assert!(asked.len() > 15);
    for request in asked.iter().flatten() {
        assert!(in_one_slot(request), "{request:?}: {:?}", keys(request));
    }
}

#[test]
fn a_single_server_needs_no_second_trip_for_a_change() {
    let wire = Told::new(empty);
    block_on(everything(&over(&wire), &deals()));
    let trips = wire.names();
    assert_eq!(trips[0], ["PTTL", "PTTL", "PTTL", "PTTL", "MGET"]);
    assert_eq!(trips[1][7..], ["MGET"], "seven tokens are made before");
    assert_eq!(trips[2..6], [["store"], ["put"], ["store"], ["put"]]);
    let changes = [
        "release", "expire", "remove", "remove", "remove", "number", "remove",
    ];
    assert_eq!(trips[6..13], changes.map(|name| vec![name]));
}

#[test]
fn on_a_cluster_a_message_follows_the_acknowledgement() {
    let wire = Told::cluster(empty);
    let (redis, deals) = (over(&wire), &deals());
    block_on(redis.invalidate(deals, &[b"5", b"6"])).unwrap();
    assert_eq!(wire.names(), [vec!["UNLINK", "UNLINK"], vec!["remove"]]);
    block_on(redis.expire(deals, &[b"5", b"6"])).unwrap();
    assert_eq!(wire.names(), [vec!["expire", "expire"], vec!["remove"]]);
    let ticket = |tags: &[&str]| {
        let read = block_on(redis.read(deals, &[b"5"], tags, Want::Load)).unwrap();
        wire.names();
        read[0].ticket.clone().unwrap()
    };
    block_on(redis.put_if(deals, b"5", &ticket(&[]), value(&[]))).unwrap();
    assert_eq!(wire.names(), [vec!["vouch", "put"], vec!["remove"]]);
    // What tags may refuse waits for them, and what lists tokens that only the server can tell.
    let ticket = &ticket(&["tag"]);
    block_on(redis.put_if(deals, b"5", ticket, value(&["tag"]))).unwrap();
    assert_eq!(wire.names(), [vec!["vouch"], vec!["put"], vec!["remove"]]);
    block_on(redis.put_if(deals, b"5", ticket, value(&["new"]))).unwrap();
    assert_eq!(wire.names(), [vec!["vouch"], vec!["put"], vec!["remove"]]);
    block_on(redis.store_if(deals, b"5", ticket, value(&["new"]))).unwrap();
    assert_eq!(wire.names(), [vec!["vouch"], vec!["store"]]);
}
