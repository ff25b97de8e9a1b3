//! What is kept, and what is not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_lite::future::block_on;
use larder_core::far::{Bus, Guarded, Part, Space, Stored, Sweep, Want};
use larder_core::{Address, Fetched, Store, Ttl};
use larder_kit::Virtual;
use larder_memory::{Limits, Shelf};

const HOUR: Duration = Duration::from_secs(3600);

fn space() -> Space {
    Space::new("deals".into(), 1, 7).lives(Duration::from_secs(30), HOUR * 3)
}

/// One whole load; whether it was stored.
fn fill(shelf: &Shelf, key: &str, bytes: impl Into<Bytes>, ends: Duration) -> Stored {
    let (space, key) = (space(), key.as_bytes());
    block_on(async {
        let read = shelf.read(&space, &[key], &["tag"], Want::Load).await?;
        let ticket = read[0].ticket.clone().expect("a load gets a ticket");
        let bytes = bytes.into();
        let part = Part {
            bytes,
            tags: &["tag"],
            ends,
        };
        shelf.store_if(&space, key, &ticket, part).await
    })
    .expect("nothing fails here")
}

fn found(shelf: &Shelf, key: &str) -> Option<Bytes> {
    let read = block_on(shelf.read(&space(), &[key.as_bytes()], &[], Want::Look));
    let read = read.expect("nothing fails here").remove(0);
    read.found.map(|found| found.bytes)
}

#[test]
fn the_limit_of_keys_is_never_passed() {
    for keys in [0, 1, 2, 3, 4, 5, 10, 1000] {
        let limits = Limits {
            keys,
            bytes: usize::MAX,
        };
        let shelf = Shelf::with_limits(&Virtual::new(), limits);
        for number in 0..3000 {
            let key = number.to_string();
            if fill(&shelf, &key, key.clone(), HOUR) == Stored::Stored {
                let found = found(&shelf, &key);
                assert!(found.is_none_or(|found| found == key));
            }
            assert!(shelf.keys() <= keys, "{} keys of {keys}", shelf.keys());
        }
        assert!(keys < 1000 || shelf.keys() == keys);
    }
}

#[test]
fn the_limit_of_bytes_is_never_passed() {
    let limits = Limits {
        keys: usize::MAX,
        bytes: 100_000,
    };
    let shelf = Shelf::with_limits(&Virtual::new(), limits);
    for number in 0..1000_usize {
        let key = (number % 150).to_string();
        fill(&shelf, &key, vec![0; number * 7 % 5000], HOUR);
        assert!(shelf.bytes() <= 100_000, "{} bytes", shelf.bytes());
    }
    assert!(shelf.bytes() > 90_000);
    fill(&shelf, "huge", vec![0; 200_000], HOUR);
    assert_eq!(found(&shelf, "huge"), None);
    assert!(shelf.bytes() <= 100_000);
}

#[test]
fn bytes_are_counted_until_nothing_is_left() {
    let time = Virtual::new();
    let shelf = Shelf::new(&time);
    for round in 0..3 {
        for number in 0..100 {
            let key = number.to_string();
            fill(&shelf, &key, vec![0; round * number], HOUR);
            if number % 3 == 0 {
                block_on(shelf.invalidate(&space(), &[key.as_bytes()])).expect("nothing fails");
            }
            if number % 5 == 0 {
                block_on(shelf.expire(&space(), &[key.as_bytes()])).expect("nothing fails");
            }
        }
    }
    assert!(shelf.bytes() > 100);
    block_on(shelf.purge("deals")).expect("nothing fails here");
    assert_eq!((shelf.keys(), shelf.bytes()), (0, 0));
}

#[test]
fn what_is_used_outlives_what_is_not() {
    let limits = Limits {
        keys: 100,
        bytes: usize::MAX,
    };
    let shelf = Shelf::with_limits(&Virtual::new(), limits);
    fill(&shelf, "used", "used", HOUR);
    let start = block_on(shelf.number(&space())).expect("nothing fails here");
    for number in 0..5000 {
        fill(&shelf, &number.to_string(), "new", HOUR);
        let heartbeat = block_on(shelf.number(&space()));
        assert_eq!(heartbeat.expect("nothing fails here"), start);
        assert_eq!(found(&shelf, "used").as_deref(), Some(&b"used"[..]));
    }
}

#[test]
fn what_was_evicted_is_dead_and_stays_so() {
    let limits = Limits {
        keys: 20,
        bytes: usize::MAX,
    };
    let shelf = Shelf::with_limits(&Virtual::new(), limits);
    let space = space();
    let read = block_on(shelf.read(&space, &[b"old"], &[], Want::Load));
    let ticket = read.expect("nothing fails here").remove(0).ticket;
    let ticket = ticket.expect("a load gets a ticket");
    for number in 0..100 {
        let key = [number];
        let other = Address::new("others", &key);
        let put = shelf.put(other, Bytes::new(), Ttl::MAX);
        block_on(put).expect("nothing fails here");
    }
    let part = Part {
        bytes: Bytes::from("old"),
        tags: &[],
        ends: HOUR,
    };
    for again in 0..3 {
        let stored = block_on(shelf.store_if(&space, b"old", &ticket, part.clone()));
        assert_eq!(
            stored.expect("nothing fails here"),
            Stored::Refused,
            "{again}"
        );
        fill(&shelf, "old", "new", HOUR);
        assert_eq!(found(&shelf, "old").as_deref(), Some(&b"new"[..]));
    }
}

#[test]
fn what_has_expired_is_swept_by_later_changes() {
    let time = Virtual::new();
    let shelf = Shelf::new(&time);
    for number in 0..1000 {
        fill(&shelf, &number.to_string(), "old", Duration::from_secs(10));
    }
    time.advance(Duration::from_secs(11));
    assert!(shelf.keys() >= 1000, "nothing changed meanwhile");
    for number in 0..300 {
        fill(&shelf, &format!("new {number}"), "new", HOUR);
    }
    assert_eq!(
        shelf.keys(),
        300 + 3,
        "the new ones, and the tokens of clear, any and the tag"
    );
}

/// Bytes whose owner counts its end and comes back to the store.
struct Owner(Shelf, Arc<AtomicUsize>);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        b"owned"
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = found(&self.0, "any");
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn values_are_dropped_where_nothing_is_locked() {
    let time = Virtual::new();
    let limits = Limits {
        keys: 50,
        bytes: usize::MAX,
    };
    let shelf = Shelf::with_limits(&time, limits);
    let ended = Arc::new(AtomicUsize::new(0));
    let owned = || Bytes::from_owner(Owner(shelf.clone(), Arc::clone(&ended)));
    let mut made = 0;
    for number in 0..200 {
        let key = (number % 90).to_string();
        fill(&shelf, &key, owned(), HOUR);
        let plain = Address::new("plain", key.as_bytes());
        block_on(shelf.put(plain, owned(), Ttl::MAX)).expect("nothing fails here");
        made += 2;
        block_on(shelf.invalidate(&space(), &[b"7"])).expect("nothing fails here");
    }
    for cache in ["deals", "plain"] {
        block_on(shelf.purge(cache)).expect("nothing fails here");
    }
    assert_eq!(ended.load(Ordering::SeqCst), made);
}

#[test]
fn clones_are_one_store_and_plain_bytes_lie_apart() {
    let shelf = Shelf::new(&Virtual::new());
    let other = shelf.clone();
    fill(&shelf, "5", "guarded", HOUR);
    assert_eq!(found(&other, "5").as_deref(), Some(&b"guarded"[..]));
    let plain = Address::new("deals", b"5");
    assert_eq!(block_on(other.get(plain)), Ok(Fetched::Absent));
    let _ = block_on(other.put(plain, Bytes::from("plain"), Ttl::MAX));
    assert_eq!(found(&shelf, "5").as_deref(), Some(&b"guarded"[..]));
    let _ = block_on(other.remove(plain));
    assert_eq!(found(&shelf, "5").as_deref(), Some(&b"guarded"[..]));
    assert!(!format!("{shelf:?}").contains("guarded"));
}
