//! What went wrong for others, as far as a store alone can get it wrong.

use std::time::Duration;

use bytes::Bytes;
use futures_lite::future::block_on;
use larder_core::far::{Barrier, Bus, Guarded, Part, Space, Stored, Sweep, Want};
use larder_core::{Address, Fetched, Store, Ttl};
use larder_kit::Virtual;
use larder_memory::Shelf;

const HOUR: Duration = Duration::from_secs(3600);

fn space(cache: &str) -> Space {
    Space::new(cache.into(), 1, 7).lives(Duration::from_secs(30), HOUR * 3)
}

fn fill(shelf: &Shelf, cache: &str, key: &str, tag: &str) {
    let (space, key) = (space(cache), key.as_bytes());
    let tags = &[tag];
    let stored = block_on(async {
        let read = shelf.read(&space, &[key], tags, Want::Load).await?;
        let ticket = read[0].ticket.clone().expect("a load gets a ticket");
        let bytes = Bytes::copy_from_slice(key);
        let part = Part {
            bytes,
            tags,
            ends: HOUR,
        };
        shelf.store_if(&space, key, &ticket, part).await
    });
    assert_eq!(stored.expect("nothing fails here"), Stored::Stored);
}

/// The keys of a cache that are found, of these.
fn found(shelf: &Shelf, cache: &str, keys: &[String]) -> usize {
    let all: Vec<&[u8]> = keys.iter().map(String::as_bytes).collect();
    let reads = block_on(shelf.read(&space(cache), &all, &[], Want::Look));
    let reads = reads.expect("nothing fails here");
    let whole = reads.iter().zip(keys).filter(|(read, key)| {
        let found = read.found.as_ref();
        found.is_some_and(|found| found.bytes == key.as_bytes())
    });
    whole.count()
}

#[test]
fn bug_b4_a_name_is_never_a_pattern() {
    let caches = ["cat", "cat1", "cat[1]", "cat*", "ca?"];
    let keys: Vec<String> = (0..10).map(|number| number.to_string()).collect();
    let foreign = Address::new("cat", b"zz");
    for purge in [false, true] {
        let shelf = Shelf::new(&Virtual::new());
        for cache in caches {
            keys.iter().for_each(|key| fill(&shelf, cache, key, "tag"));
        }
        let mut gone = Vec::new();
        for cache in ["cat*", "cat[1]", "ca?"] {
            let _ = block_on(shelf.put(foreign, Bytes::from("foreign"), Ttl::MAX));
            if purge {
                block_on(shelf.purge(cache)).expect("nothing fails here");
            } else {
                let clear = space(cache);
                let clear = shelf.drop_barrier(&clear, Barrier::All);
                block_on(clear).expect("nothing fails here");
            }
            gone.push(cache);
            for other in caches {
                let wanted = if gone.contains(&other) { 0 } else { 10 };
                assert_eq!(found(&shelf, other, &keys), wanted, "{other} after {cache}");
            }
            assert!(matches!(
                block_on(shelf.get(foreign)),
                Ok(Fetched::Found(_))
            ));
        }
    }
}

#[test]
fn bug_c9_a_key_with_the_name_of_a_token_is_a_key() {
    let shelf = Shelf::new(&Virtual::new());
    let digest = larder_core::digest(b"foo").to_string();
    let names = [
        "foo",
        ":clear",
        "clear",
        ":any",
        ":tag:foo",
        "tag:foo",
        "number",
        "deals",
        "deals:foo",
        "{deals}:clear",
        digest.as_str(),
        "\u{1}foo",
        "\u{5}foo",
        "",
    ];
    let names = names.map(str::to_owned);
    for name in &names {
        fill(&shelf, "deals", name, name);
        let plain = Address::new("deals", name.as_bytes());
        let _ = block_on(shelf.put(plain, Bytes::from("plain"), Ttl::MAX));
    }
    assert_eq!(found(&shelf, "deals", &names), names.len());
    for (gone, name) in names.iter().enumerate() {
        let invalidate = |keys| block_on(shelf.invalidate(&space("deals"), keys));
        invalidate(&[name.as_bytes()]).expect("nothing fails here");
        assert_eq!(
            found(&shelf, "deals", &names),
            names.len() - gone - 1,
            "{name:?}"
        );
        let plain = Address::new("deals", name.as_bytes());
        let _ = block_on(shelf.remove(plain));
    }
}

#[test]
fn bug_d5_nothing_is_kept_without_an_end() {
    let time = Virtual::new();
    let shelf = Shelf::new(&time);
    for number in 0..500_u32 {
        let (cache, key) = (format!("cache {}", number % 7), number.to_string());
        let space = space(&cache);
        fill(&shelf, &cache, &key, &format!("tag {}", number % 50));
        let key = key.as_bytes();
        block_on(async {
            let load = shelf
                .read(&space, &[b"running"], &["other"], Want::Load)
                .await?;
            let ticket = load[0].ticket.clone().expect("a load gets a ticket");
            let bytes = Bytes::from("put");
            let part = Part {
                bytes,
                tags: &["new"],
                ends: HOUR,
            };
            match number % 6 {
                0 => shelf.invalidate(&space, &[key]).await,
                1 => shelf.expire(&space, &[key, b"running"]).await,
                2 => shelf.drop_barrier(&space, Barrier::Tag("other")).await,
                3 => shelf
                    .put_if(&space, b"running", &ticket, part)
                    .await
                    .map(drop),
                4 => shelf.release(&space, b"running", &ticket).await,
                _ => shelf.number(&space).await.map(drop),
            }
        })
        .expect("nothing fails here");
    }
    assert!(shelf.keys() > 500);
    // Longer than anything lives: three hours for a barrier. Then as many changes as it takes the
    // sweep to come round.
    time.advance(HOUR * 3 + Duration::from_secs(1));
    let last = Address::new("last", b"");
    for _ in 0..1000 {
        let _ = block_on(shelf.put(last, Bytes::new(), Ttl::MAX));
    }
    assert_eq!(shelf.keys(), 1);
}
