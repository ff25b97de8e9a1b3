//! What went wrong for others, over a real server.

use std::time::Duration;

use bytes::Bytes;
use larder_core::far::{Guarded, Put, Space, Stored, Sweep, Want};
use larder_core::{Address, Fetched, Store, Ttl};
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
fn bug_b4_purging_a_cache_takes_no_other_along() {
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
fn bug_c6_odd_keys_are_told_apart_and_inject_nothing() {
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
    block_on(larder_core::far::Bus::number(&place.redis, &deals())).unwrap();
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
fn bug_d1_nothing_is_kept_for_no_time_and_nothing_for_ever() {
    let Some(place) = Place::start() else { return };
    assert_eq!(
        place.fill(b"5", "five", &["tag"], Duration::ZERO),
        Stored::Stored
    );
    assert_eq!(place.found(b"5"), None);
    assert_eq!(
        place.fill(b"6", "six", &["tag"], Duration::from_nanos(1)),
        Stored::Stored
    );
    assert_eq!(place.found(b"6"), None);
    place.all_end();
}

#[test]
fn bug_d3_the_longest_times_are_taken() {
    let Some(place) = Place::start() else { return };
    let endless = deals().lives(Duration::MAX, Duration::MAX);
    let read = place.redis.read(&endless, &[b"5"], &["tag"], Want::Load);
    let ticket = block_on(read).unwrap().remove(0).ticket.unwrap();
    let value = part("five", &["tag"], Duration::MAX);
    let stored = block_on(place.redis.store_if(&endless, b"5", &ticket, value)).unwrap();
    assert_eq!(stored, Stored::Stored);
    assert_eq!(place.found(b"5"), Some("five".into()));
    block_on(place.redis.expire(&endless, &[b"5"])).unwrap();
    block_on(larder_core::far::Bus::number(&place.redis, &endless)).unwrap();
    place.all_end();
}

#[test]
fn bug_d5_a_value_and_its_end_are_one_command() {
    let Some(place) = Place::start() else { return };
    let ran = place.ran(|place| {
        place.fill(b"5", "five", &["tag"], HOUR);
        place.put(b"5", "new");
        block_on(place.redis.expire(&deals(), &[b"5"])).unwrap();
        let ttl = Ttl::new(HOUR).unwrap();
        let put = place
            .redis
            .put(Address::new("plain", b"5"), "bytes".into(), ttl);
        block_on(put).unwrap();
    });
    let sets: Vec<_> = ran.iter().filter(|ran| ran.words[0] == "SET").collect();
    assert!(sets.len() > 7, "{sets:?}");
    let ends = |word: &String| word == "PX" || word == "PXAT";
    assert!(
        sets.iter().all(|ran| ran.words.iter().any(ends)),
        "{sets:?}"
    );
}

#[test]
fn bug_d5_changes_that_are_dropped_leave_nothing_without_an_end() {
    let Some(place) = Place::start() else { return };
    let mut random = fastrand::Rng::with_seed(5);
    for round in 0..2_000 {
        let key = (round % 50).to_string();
        let (key, deals) = (key.as_bytes(), &deals());
        let ticket = place.read(key, &["tag"], Want::Load).ticket.unwrap();
        let part = part("five", &["tag", "new"], HOUR);
        let mut change = match round % 3 {
            0 => Box::pin(async { drop(place.redis.store_if(deals, key, &ticket, part).await) })
                as std::pin::Pin<Box<dyn Future<Output = ()>>>,
            1 => Box::pin(async { drop(place.redis.put_if(deals, key, &ticket, part).await) }),
            _ => Box::pin(async { drop(place.redis.expire(deals, &[key]).await) }),
        };
        for _ in 0..random.usize(0..4) {
            let mut polled = Box::pin(smol::future::poll_once(&mut change));
            if block_on(&mut polled).is_some() {
                break;
            }
        }
        drop(change);
    }
    assert!(place.keys().len() > 10);
    place.all_end();
}

#[test]
fn bug_f7_a_key_taken_by_another_type_is_nothing_and_is_overwritten() {
    let Some(place) = Place::start() else { return };
    let entry: &[u8] = b"larder:deals:5";
    type Taken = fn(&Place, &[u8]);
    let taken: [Taken; 4] = [
        |place, key| drop(place.ask("LPUSH", &[key, b"x"])),
        |place, key| drop(place.ask("HSET", &[key, b"x", b"y"])),
        |place, key| drop(place.ask("SET", &[key, b"short"])),
        |place, key| drop(place.ask("SET", &[key, &[7; 100]])),
    ];
    for (number, take) in taken.into_iter().enumerate() {
        place.ask("UNLINK", &[entry]);
        take(&place, entry);
        assert_eq!(place.found(b"5"), None, "way {number}");
        assert_eq!(
            place.fill(b"5", "five", &[], HOUR),
            Stored::Stored,
            "way {number}"
        );
        assert_eq!(place.found(b"5"), Some("five".into()), "way {number}");
        place.ask("UNLINK", &[entry]);
        take(&place, entry);
        assert_eq!(place.put(b"5", "put"), Put::Stored, "way {number}");
        place.ask("UNLINK", &[entry]);
        take(&place, entry);
        place.invalidate(&[b"5"]);
        assert_eq!(place.ask("EXISTS", &[entry]), Reply::Int(0), "way {number}");
        take(&place, entry);
        block_on(place.redis.expire(&deals(), &[b"5"])).unwrap();
        assert_eq!(place.found(b"5"), None, "way {number}");
    }
    assert!(place.redis.counts().foreign >= 4);
}

#[test]
fn bug_f7_tokens_and_numbers_taken_by_others_are_made_anew() {
    let Some(place) = Place::start() else { return };
    let shared: [&[u8]; 3] = [b"clear", b"any", b"number"];
    let deals = &deals();
    for name in shared {
        let key = [b"{larder:deals}:", name].concat();
        for command in ["LPUSH", "SET"] {
            place.fill(b"5", "five", &[], HOUR);
            place.ask("UNLINK", &[&key]);
            place.ask(command, &[&key, b"foreign"]);
            // The first finds it in its way and removes it.
            place.read(b"5", &[], Want::Load);
            assert_eq!(place.fill(b"5", "new", &[], HOUR), Stored::Stored);
            assert_eq!(place.found(b"5"), Some("new".into()));
            let number = larder_core::far::Bus::number(&place.redis, deals);
            assert!(block_on(number).unwrap() > 0);
            place.invalidate(&[b"5"]);
            assert_eq!(place.found(b"5"), None);
        }
    }
}

#[test]
fn bug_g11_a_full_server_serves_and_forgets_but_takes_nothing_new() {
    let Some(place) = Place::start_with(&["--maxmemory", "3mb"]) else {
        return;
    };
    let filled = (0..).take_while(|number: &u32| {
        let key = number.to_string();
        let Some(ticket) = place.read(key.as_bytes(), &[], Want::Load).ticket else {
            return false;
        };
        let part = part(&"x".repeat(10_000), &[], HOUR);
        block_on(
            place
                .redis
                .store_if(&deals(), key.as_bytes(), &ticket, part),
        )
        .is_ok()
    });
    let filled = filled.count();
    assert!(filled > 10, "{filled}");
    assert!(place.found(b"0").is_some(), "what is there is found");
    place.ask("UNLINK", &[b"{larder:deals}:number"]);
    place.ask("CONFIG", &[b"SET", b"maxmemory", b"1mb"]);
    assert!(place.read(b"new", &[], Want::Load).ticket.is_none());
    assert!(place.redis.counts().without_ticket > 0);
    let ticket = place.read(b"1", &[], Want::Load).ticket.unwrap();
    let deals = &deals();
    let put = place
        .redis
        .put_if(deals, b"1", &ticket, part("put", &["tag"], HOUR));
    assert_eq!(block_on(put).unwrap(), Put::Stored, "a put deletes first");
    block_on(place.redis.expire(deals, &[b"1"])).unwrap();
    place.invalidate(&[b"0"]);
    assert!(place.found(b"0").is_none());
    block_on(larder_core::far::Bus::number(&place.redis, deals)).unwrap();
    block_on(
        place
            .redis
            .drop_barrier(deals, larder_core::far::Barrier::All),
    )
    .unwrap();
    assert!(place.found(b"2").is_none(), "cleared");
}

#[test]
fn bug_h1_nothing_asks_for_all_keys_at_once() {
    let Some(place) = Place::start() else { return };
    for name in NAMES {
        fill(&place, name);
    }
    let ran = place.ran(|place| {
        block_on(place.redis.purge("cat")).unwrap();
        block_on(
            place
                .redis
                .drop_barrier(&deals(), larder_core::far::Barrier::All),
        )
        .unwrap();
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

#[test]
fn bug_h3_an_answer_is_never_half_of_two() {
    let Some(place) = Place::start() else { return };
    let address = Address::new("plain", b"5");
    for round in 0..2_000_u64 {
        let ttl = Ttl::new(Duration::from_millis(10 + round % 20)).unwrap();
        if round % 10 == 0 {
            block_on(place.redis.put(address, "bytes".into(), ttl)).unwrap();
            place.fill(b"5", "five", &["tag"], ttl.duration());
        }
        if let Fetched::Found(found) = block_on(place.redis.get(address)).unwrap() {
            assert_eq!(found.bytes, "bytes");
            assert!(!found.left.is_zero() && found.left <= Duration::from_millis(30));
        }
        if let Some(found) = place.read(b"5", &[], Want::Look).found {
            assert_eq!(found.bytes, "five");
            assert!(!found.left.is_zero() && found.left <= Duration::from_millis(30));
        }
    }
}
