//! What is sent, byte by byte: two versions on one server have to mean the same by it.

use std::time::Duration;

use bytes::Bytes;
use futures_lite::future::block_on;
use larder_core::digest;
use larder_core::far::{Barrier, Bus, FarTicket, Guarded, Part};
use larder_redis::{Call, Redis};

use crate::told::{Told, empty};
use crate::{deals, over};

/// Entry, `:clear`, `:any`, and the tag `known`.
fn ticket() -> FarTicket {
    let tokens = [[1; 16], [2; 16], [3; 16]].concat();
    let tag = [&digest(b"known").to_le_bytes()[..], &[4; 16]].concat();
    FarTicket::new([tokens, tag].concat().into())
}

fn value<'a>(tags: &'a [&'a str]) -> Part<'a> {
    let (bytes, ends) = (Bytes::from("frame"), Duration::from_secs(60));
    Part { bytes, tags, ends }
}

/// The keys and arguments of the one script that is sent.
fn sent<T>(act: impl AsyncFnOnce(&Redis) -> T) -> (Vec<Bytes>, Vec<Bytes>) {
    let wire = Told::new(empty);
    block_on(act(&over(&wire)));
    let mut asked = wire.asked.lock().unwrap().concat();
    let Call::Script { keys, args, .. } = asked.remove(0).call().clone() else {
        panic!("it is a script");
    };
    (keys, args)
}

fn key(tag: &str) -> Bytes {
    format!("{{larder:deals}}:tag:{:016x}", digest(tag.as_bytes())).into()
}

fn message(kind: u8, what: u64) -> Bytes {
    let node = 1_u64.to_le_bytes();
    [&[1, kind][..], &node, &what.to_le_bytes()].concat().into()
}

/// Schema 7, no flags, so many barriers, no earlier end, five bytes of frame.
fn part(barriers: &[(u64, u8)]) -> Bytes {
    let count = barriers.len() as u8;
    let mut bytes = [
        &[7, 0, 0, 0, 0, 0, 0, 0, 0, count][..],
        &[0; 6],
        &[5, 0, 0, 0],
    ]
    .concat();
    for (name, token) in barriers {
        bytes.extend_from_slice(&name.to_le_bytes());
        bytes.extend_from_slice(&[*token; 8]);
    }
    bytes.extend_from_slice(b"frame");
    bytes.into()
}

fn asked(mode: u8, token: u8) -> Bytes {
    [&[mode][..], &[token; 16]].concat().into()
}

#[test]
fn a_store_of_known_tags() {
    let ticket = ticket();
    let value = value(&["known"]);
    let deals = &deals();
    let (keys, args) = sent(async |redis| redis.store_if(deals, b"5", &ticket, value).await);
    let barriers = [
        "{larder:deals}:clear".into(),
        key("known"),
        "{larder:deals}:any".into(),
    ];
    assert_eq!(keys, [&["larder:deals:5".into()][..], &barriers].concat());
    let listed = part(&[(digest(b":clear"), 2), (digest(b"known"), 4)]);
    let wanted: [Bytes; 9] = [
        vec![1; 16].into(),
        "60000".into(),
        "10800000".into(),
        "{larder:deals}:messages".into(),
        message(b'w', digest(b"5")),
        listed,
        asked(b'=', 2),
        asked(b'=', 4),
        asked(b'.', 3),
    ];
    assert_eq!(args, wanted);
}

#[test]
fn a_store_of_other_tags() {
    let ticket = ticket();
    let value = value(&["new", "new"]);
    let deals = &deals();
    let (keys, args) = sent(async |redis| redis.store_if(deals, b"5", &ticket, value).await);
    // What the value lists comes first, then what the ticket asks for.
    let tags = [key("new"), key("known")];
    assert_eq!(keys[2..4], tags);
    let modes: Vec<_> = args[6..].iter().map(|asked| asked[0]).collect();
    assert_eq!(modes, *b"=+==", "`:any` at last, for a tag was not known");
    assert_eq!(args[5].len(), 20 + 2 * 16 + 5);
    assert_eq!(args[5][9], 2);
}

#[test]
fn a_put() {
    let ticket = ticket();
    let value = value(&["known"]);
    let deals = &deals();
    let (keys, args) = sent(async |redis| redis.put_if(deals, b"5", &ticket, value).await);
    assert_eq!(keys[..2], ["larder:deals:5", "{larder:deals}:number"]);
    assert_eq!(keys.len(), 5);
    assert_eq!(args[0], vec![1; 16]);
    assert_eq!(args[1].len(), 16);
    assert_ne!(args[1], args[0], "a new token");
    assert_eq!(args[2..4], ["60000", "10800000"]);
    assert_eq!(args[6], "{larder:deals}:messages");
    assert_eq!(args[7], message(b'k', digest(b"5")));
    assert_eq!(args[8..], [asked(b'=', 2), asked(b'=', 4), asked(b'.', 3)]);
}

#[test]
fn changes() {
    let deals = &deals();
    let (keys, args) = sent(async |redis| redis.invalidate(deals, &[b"5", b"6"]).await);
    assert_eq!(
        keys,
        ["{larder:deals}:number", "larder:deals:5", "larder:deals:6"]
    );
    assert_eq!(args[0], "10800000");
    assert_eq!(args[2], "{larder:deals}:messages");
    assert_eq!(
        args[3..],
        [b"5", b"6"].map(|key| message(b'k', digest(key)))
    );

    let (keys, args) = sent(async |redis| redis.expire(deals, &[b"5"]).await);
    assert_eq!(keys, ["larder:deals:5", "{larder:deals}:number"]);
    assert_eq!(
        (&args[0][..], args[1].len(), &args[2][..]),
        (&b"1"[..], 16, &b"10800000"[..])
    );
    assert_eq!(args[5], message(b'e', digest(b"5")));

    let (keys, args) = sent(async |redis| redis.drop_barrier(deals, Barrier::Tag("a")).await);
    let any = Bytes::from("{larder:deals}:any");
    assert_eq!(keys, ["{larder:deals}:number".into(), any, key("a")]);
    assert_eq!(args[3], message(b't', digest(b"a")));

    let (keys, args) = sent(async |redis| redis.drop_barrier(deals, Barrier::All).await);
    assert_eq!(keys, ["{larder:deals}:number", "{larder:deals}:clear"]);
    assert_eq!(args[3], message(b'a', 0));

    let (keys, _) = sent(async |redis| redis.number(deals).await);
    let renewed = [
        "{larder:deals}:number",
        "{larder:deals}:clear",
        "{larder:deals}:any",
    ];
    assert_eq!(keys, renewed);

    let ticket = ticket();
    let (keys, args) = sent(async |redis| redis.release(deals, b"5", &ticket).await);
    assert_eq!(keys, ["larder:deals:5"]);
    let wanted = [
        vec![1; 16].into(),
        "{larder:deals}:messages".into(),
        message(b'w', digest(b"5")),
    ];
    assert_eq!(args, wanted);
}
