//! What went wrong for others, over a real server.

use bytes::Bytes;
use larder_core::far::{Barrier, Bus, Guarded, Space, Stored, Sweep, Want};
use larder_redis::Reply;
use smol::block_on;

use crate::place::{HOUR, Place, deals, part};

const NAMES: [&str; 5] = ["cat", "cat1", "cat[1]", "cat*", "ca?"];

fn fill(place: &Place, cache: &str) {
    let space = Space::new(cache.into(), 1, 7);
    for number in 0..10 {
        let key = number.to_string();
        let keys = [key.as_bytes()];
        let read = place.redis.read(&space, &keys, &[], Want::Load);
        let ticket = block_on(read).unwrap().remove(0).ticket.unwrap();
        let store = place
            .redis
            .store_if(&space, key.as_bytes(), &ticket, part(cache, &[], HOUR));
        assert_eq!(block_on(store).unwrap(), Stored::Stored);
    }
}

fn found(place: &Place, cache: &str) -> usize {
    let space = Space::new(cache.into(), 1, 7);
    let keys: Vec<_> = (0..10).map(|number| number.to_string()).collect();
    let keys: Vec<_> = keys.iter().map(|key| key.as_bytes()).collect();
    let reads = block_on(place.redis.read(&space, &keys, &[], Want::Look)).unwrap();
    reads.iter().filter(|read| read.found.is_some()).count()
}

#[test]
fn bug_b4_sp61_purging_a_cache_takes_no_other_along() {
    let Some(place) = Place::start() else { return };
    let foreign: [&[u8]; 3] = [b"cat:zz", b"larder:catalogue", b"xlarder:cat:1"];
    for key in foreign {
        place.ask("SET", &[key, b"foreign"]);
    }
    for name in NAMES {
        fill(&place, name);
    }
    for gone in ["cat*", "cat[1]", "cat"] {
        let removed = block_on(place.redis.purge(gone)).unwrap();
        // Ten entries, and the two tokens that they share.
        assert_eq!(removed, 12, "of {gone}");
        for name in NAMES {
            assert_eq!(
                found(&place, name),
                if name == gone { 0 } else { 10 },
                "{name}"
            );
        }
        fill(&place, gone);
    }
    for key in foreign {
        assert_eq!(place.ask("GET", &[key]), Reply::bytes("foreign"));
    }
}

#[test]
fn bug_b4_clearing_a_cache_takes_no_other_along() {
    let Some(place) = Place::start() else { return };
    let foreign: [&[u8]; 2] = [b"cat:zz", b"larder:catalogue"];
    for key in foreign {
        place.ask("SET", &[key, b"foreign"]);
    }
    for name in NAMES {
        fill(&place, name);
    }
    for gone in ["cat*", "cat[1]", "ca?", "cat"] {
        let space = Space::new(gone.into(), 1, 7);
        block_on(place.redis.drop_barrier(&space, Barrier::All)).unwrap();
        for name in NAMES {
            let left = if name == gone { 0 } else { 10 };
            assert_eq!(found(&place, name), left, "{name} after {gone}");
        }
        fill(&place, gone);
        assert_eq!(found(&place, gone), 10, "{gone} is filled again");
    }
    for key in foreign {
        assert_eq!(place.ask("GET", &[key]), Reply::bytes("foreign"));
    }
}

#[test]
fn bug_c6_sp60_odd_keys_are_told_apart_and_inject_nothing() {
    let Some(place) = Place::start() else { return };
    let long = vec![b'x'; 64 << 10];
    let odd = [
        "",
        " ",
        "\u{e9}",
        "e\u{301}",
        "\u{d55c}",
        "\u{1f600}",
        "a\r\nDEL x\r\n",
        "\0",
        "'\"\\",
    ];
    let mut keys: Vec<_> = odd.iter().map(|key| key.as_bytes()).collect();
    keys.push(&long);
    for (number, key) in keys.iter().enumerate() {
        let ran = place.ran(|place| {
            let stored = place.fill(key, &number.to_string(), &[], HOUR);
            assert_eq!(stored, Stored::Stored);
        });
        let sent = ran.iter().filter(|ran| !ran.in_script);
        let sent: Vec<_> = sent.map(|ran| &ran.words[0][..]).collect();
        let tokens = if number == 0 { 3 } else { 1 };
        let wanted = [
            &["PTTL", "MGET"][..],
            &["SET"; 3][..tokens],
            &["MGET", "EVALSHA"],
        ]
        .concat();
        assert_eq!(sent, wanted, "{key:?}");
    }
    for (number, key) in keys.iter().enumerate() {
        assert_eq!(place.found(key), Some(number.to_string().into()), "{key:?}");
    }
}

#[test]
fn bug_c9_keys_called_like_ours_are_keys_like_others() {
    let Some(place) = Place::start() else { return };
    place.fill(b"foo", "five", &["tag"], HOUR);
    block_on(place.redis.number(&deals())).unwrap();
    let ours = place.keys();
    assert!(ours.len() > 4, "{ours:?}");
    let short = ours
        .iter()
        .filter_map(|key| key.rsplit(|byte| *byte == b':').next());
    let named: Vec<_> = ours
        .iter()
        .cloned()
        .chain(short.map(Bytes::copy_from_slice))
        .collect();
    for key in named.iter().filter(|key| &key[..] != b"foo") {
        place.fill(key, "mine", &["tag"], HOUR);
        assert_eq!(place.found(key), Some("mine".into()), "{key:?}");
        place.invalidate(&[key]);
        assert_eq!(place.found(key), None, "{key:?}");
        assert_eq!(place.found(b"foo"), Some("five".into()), "{key:?}");
    }
}

#[test]
fn bug_h1_nothing_asks_for_all_keys_at_once() {
    let Some(place) = Place::start() else { return };
    for name in NAMES {
        fill(&place, name);
    }
    let ran = place.ran(|place| {
        block_on(place.redis.purge("cat")).unwrap();
        block_on(place.redis.drop_barrier(&deals(), Barrier::All)).unwrap();
    });
    let names: Vec<_> = ran.iter().map(|ran| &ran.words[0][..]).collect();
    assert!(
        names.contains(&"SCAN") && names.contains(&"UNLINK"),
        "{names:?}"
    );
    for never in ["KEYS", "FLUSHDB", "FLUSHALL", "DEL"] {
        assert!(!names.contains(&never), "{names:?}");
    }
}
