//! Which commands an operation sends: what a server sees is what it costs.

use larder_core::far::{Barrier, Bus, Guarded, Want};
use smol::block_on;

use crate::place::{HOUR, Place, deals, part};

/// The names of what was sent, scripts as `EVALSHA`.
fn sent(place: &Place, act: impl FnOnce(&Place)) -> Vec<String> {
    let ran = place.ran(act).into_iter().filter(|ran| !ran.in_script);
    ran.map(|ran| ran.words[0].clone()).collect()
}

#[test]
fn a_read_is_plain_commands_with_the_time_left_first() {
    let Some(place) = Place::start() else { return };
    place.fill(b"5", "five", &["tag"], HOUR);
    let look = sent(&place, |place| drop(place.read(b"5", &["tag"], Want::Look)));
    assert_eq!(look, ["PTTL", "MGET"]);
    let load = sent(&place, |place| drop(place.read(b"5", &["tag"], Want::Load)));
    assert_eq!(load, ["PTTL", "MGET"], "a load that finds all tokens");
    let tags = sent(&place, |place| drop(place.read(b"5", &[], Want::Look)));
    assert_eq!(
        tags,
        ["PTTL", "MGET", "MGET"],
        "a tag that only the value names"
    );
    let many = sent(&place, |place| {
        let keys: [&[u8]; 3] = [b"5", b"6", b"7"];
        block_on(place.redis.read(&deals(), &keys, &["tag"], Want::Look)).unwrap();
    });
    assert_eq!(many, ["PTTL", "PTTL", "PTTL", "MGET"]);
}

#[test]
fn a_look_writes_nothing() {
    let Some(place) = Place::start() else { return };
    place.read(b"5", &["tag"], Want::Look);
    assert!(place.keys().is_empty());
}

#[test]
fn a_load_makes_all_missing_tokens_in_one_more_trip() {
    let Some(place) = Place::start() else { return };
    let load = |place: &Place| drop(place.read(b"5", &["tag"], Want::Load));
    let cold = ["PTTL", "MGET", "SET", "SET", "SET", "SET", "MGET"];
    assert_eq!(
        sent(&place, load),
        cold,
        "`:clear`, `:any`, the tag, the entry"
    );
    assert_eq!(sent(&place, load), ["PTTL", "MGET"], "they are there");
    place.invalidate(&[b"5"]);
    assert_eq!(
        sent(&place, load),
        ["PTTL", "MGET", "SET", "MGET"],
        "the entry alone"
    );
    place.all_end();
}

#[test]
fn every_change_is_one_script() {
    let Some(place) = Place::start() else { return };
    let ticket = || place.read(b"5", &["tag"], Want::Load).ticket.unwrap();
    let (store, put, release) = (ticket(), ticket(), ticket());
    let deals = &deals();
    let redis = &place.redis;
    let once = |what: &str, act: &dyn Fn()| {
        assert_eq!(sent(&place, |_| act()), ["EVALSHA"], "{what}");
    };
    let value = || part("five", &["tag", "new"], HOUR);
    once("store", &|| {
        drop(block_on(redis.store_if(deals, b"5", &store, value())))
    });
    once("put", &|| {
        drop(block_on(redis.put_if(deals, b"5", &put, value())))
    });
    once("release", &|| {
        drop(block_on(redis.release(deals, b"5", &release)))
    });
    once("expire", &|| {
        drop(block_on(redis.expire(deals, &[b"5", b"6"])))
    });
    once("invalidate", &|| {
        drop(block_on(redis.invalidate(deals, &[b"5", b"6"])))
    });
    for barrier in [Barrier::Tag("tag"), Barrier::All] {
        once("drop", &|| {
            drop(block_on(redis.drop_barrier(deals, barrier)))
        });
    }
    once("heartbeat", &|| drop(block_on(redis.number(deals))));
    place.all_end();
}

#[test]
fn a_change_deletes_first_and_tells_last() {
    let Some(place) = Place::start() else { return };
    place.fill(b"5", "five", &[], HOUR);
    let scripted = |act: &dyn Fn()| -> Vec<String> {
        let ran = place.ran(|_| act()).into_iter().filter(|ran| ran.in_script);
        let words = ran.map(|ran| format!("{} {}", ran.words[0], ran.words[1]));
        words.collect()
    };
    let invalidate = scripted(&|| place.invalidate(&[b"5"]));
    assert_eq!(invalidate.first().unwrap(), "UNLINK larder:deals:5");
    assert_eq!(
        invalidate.last().unwrap(),
        "PUBLISH {larder:deals}:messages"
    );
    let tag = scripted(&|| {
        drop(block_on(
            place.redis.drop_barrier(&deals(), Barrier::Tag("a")),
        ))
    });
    assert_eq!(tag.first().unwrap(), "UNLINK {larder:deals}:any");
    assert!(tag[1].starts_with("UNLINK {larder:deals}:tag:"));
    assert_eq!(tag.last().unwrap(), "PUBLISH {larder:deals}:messages");
}
