//! What went wrong for others with times, over a real server.

use std::time::Duration;

use larder_core::far::{Bus, Guarded, Stored, Want};
use larder_core::{Address, Fetched, Store, Ttl};
use smol::block_on;

use crate::place::{HOUR, Place, deals, part};

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
    block_on(place.redis.number(&endless)).unwrap();
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
