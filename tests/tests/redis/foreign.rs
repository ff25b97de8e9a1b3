//! Keys that others have taken, and servers that take nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use bytes::Bytes;
use larder_core::BoxFuture;
use larder_core::far::{Barrier, Bus, FarError, Guarded, Put, Space, Stored, Want};
use larder_redis::{Connection, Ear, Redis, Reply, Request, Wire};
use smol::block_on;

use crate::place::{HOUR, Place, deals, part};

/// A connection on which somebody takes a key behind the first trip of each read.
struct Taken {
    wire: Arc<Connection>,
    trips: AtomicUsize,
}

impl Wire for Taken {
    fn send(&self, batch: Vec<Request>) -> BoxFuture<'_, Result<Vec<Reply>, FarError>> {
        Box::pin(async {
            let replies = self.wire.send(batch).await;
            if self.trips.fetch_add(1, Ordering::Relaxed) == 0 {
                let entry = Bytes::from("larder:deals:5");
                let unlink = Request::command("UNLINK", vec![entry.clone()]);
                let push = Request::command("LPUSH", vec![entry, "x".into()]);
                self.wire.send(vec![unlink, push]).await.unwrap();
            }
            replies
        })
    }

    fn is_cluster(&self) -> bool {
        false
    }

    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>> {
        self.wire.masters()
    }

    fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        self.wire.subscribe(channel, ear);
    }
}

#[test]
fn bug_f7_a_key_taken_between_two_trips_of_a_read_is_nothing() {
    let Some(place) = Place::start() else { return };
    // Two versions of a program share the entry, so a read has to look at it twice.
    place.fill(b"5", "five", &[], HOUR);
    let other = Space::new("deals".into(), 1, 8);
    let ticket = block_on(place.redis.read(&other, &[b"5"], &[], Want::Load)).unwrap();
    let ticket = ticket[0].ticket.as_ref().unwrap();
    let stored = block_on(
        place
            .redis
            .store_if(&other, b"5", ticket, part("five", &[], HOUR)),
    );
    assert_eq!(stored.unwrap(), Stored::Stored);

    let wire = Arc::new(Taken {
        wire: place.wire,
        trips: AtomicUsize::new(0),
    });
    let redis = Redis::over(wire.clone(), Arc::new(larder::Smol::global()), "larder");
    let reads = block_on(redis.read(&deals(), &[b"5"], &[], Want::Look)).unwrap();
    assert!(reads[0].found.is_none());
    assert_eq!(wire.trips.load(Ordering::Relaxed), 2, "it looked again");
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
            let number = place.redis.number(deals);
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
    block_on(place.redis.number(deals)).unwrap();
    block_on(place.redis.drop_barrier(deals, Barrier::All)).unwrap();
    assert!(place.found(b"2").is_none(), "cleared");
}
