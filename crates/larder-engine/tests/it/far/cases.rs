//! What went wrong for others with names, keys and times, with a far tier behind the cache.

use std::time::Duration;

use larder_core::{Address, Fetched, Store, Ttl};
use larder_engine::__private::{After, Terms};
use larder_engine::{Cache, CacheBuilder, Got};
use larder_kit::Virtual;

use super::rig::{Pair, loaded};
use super::support::{beat, larder, shelf};
use crate::support::{SECOND, TTL};

#[test]
fn bug_b4_clearing_a_cache_takes_no_other_along() {
    let names = ["cat", "cat1", "cat[1]", "cat*", "ca?", "cat:", ""];
    let time = Virtual::new();
    let shelf = shelf(&time);
    let foreign = Address::new("cat", b"zz");
    let larder = larder(&time, &shelf);
    let build = |name: &&str| -> Option<Cache<u64, u64>> {
        larder.cache(*name).ttl(TTL).far_only().build().ok()
    };
    let caches: Vec<_> = names.iter().filter_map(build).collect();
    assert_eq!(
        caches.len(),
        names.len() - 1,
        "only a name of nothing is refused"
    );
    time.block_on(async {
        shelf.put(foreign, "mine".into(), Ttl::MAX).await.unwrap();
        for cache in &caches {
            for key in 0..10 {
                let _ = cache.put(&key, key).await;
            }
        }
        for cleared in ["cat*", "cat[1]", "cat:", "ca?"] {
            for cache in caches.iter().filter(|cache| cache.name() == cleared) {
                let _ = cache.clear().await;
                assert_eq!(cache.get(&3).await, Got::Unknown);
                let _ = cache.put(&3, 3).await;
            }
            for cache in &caches {
                assert_eq!(
                    cache.get(&3).await,
                    Got::Value(3.into()),
                    "{}",
                    cache.name()
                );
            }
            assert!(matches!(shelf.get(foreign).await, Ok(Fetched::Found(_))));
        }
    });
}

#[test]
fn bug_b6_a_clear_forgets_neither_tier() {
    let pair = Pair::new();
    pair.fetch();
    pair.two.fetch(&pair.time, &pair.source);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.clear());
    assert_eq!(pair.held(), None);
    assert_eq!(pair.two.held(&pair.time), None);
    assert_eq!(pair.fetch(), new);
}

fn texts(time: &Virtual, shelf: &larder_memory::Shelf) -> Cache<String, String> {
    let texts = larder(time, shelf).cache("texts").ttl(TTL).far_only();
    texts.build().unwrap()
}

#[test]
fn bug_c6_odd_texts_are_keys_of_their_own_on_every_node() {
    let long = "x".repeat(64 << 10);
    let other = format!("{long}y");
    let odd = [
        "",
        " ",
        "\u{e9}",
        "e\u{301}",
        "한글",
        "🦀",
        "a\r\nDEL x\r\n",
        "\0",
        "~",
        "''",
        "a,b",
        "%",
        "*",
        &long,
        &other,
    ];
    let time = Virtual::new();
    let shelf = shelf(&time);
    let (one, two) = (texts(&time, &shelf), texts(&time, &shelf));
    time.block_on(async {
        for key in odd {
            let _ = one.put(key, key.to_owned()).await;
        }
        for key in odd {
            assert_eq!(
                two.get(key).await.value().as_deref().map(String::as_str),
                Some(key)
            );
        }
        for (at, gone) in odd.iter().enumerate() {
            let _ = two.invalidate(*gone).await;
            for (index, key) in odd.iter().enumerate() {
                let there = one.get(*key).await != Got::Unknown;
                assert_eq!(there, index > at, "after {gone:?}");
            }
        }
    });
}

#[test]
fn bug_c9_keys_named_like_tokens_are_keys() {
    let inner = [
        ":clear",
        ":any",
        ":tag:fruit",
        ":number",
        "clear",
        "{texts}:clear",
        "#",
        "foo:clear",
    ];
    let time = Virtual::new();
    let shelf = shelf(&time);
    let texts = texts(&time, &shelf);
    time.block_on(async {
        let _ = texts.put("foo", "bar".to_owned()).await;
        for key in inner {
            let _ = texts.put(key, key.to_owned()).await;
            let held = texts.get(key).await.value();
            assert_eq!(held.as_deref().map(String::as_str), Some(key));
        }
        for key in inner {
            let _ = texts.invalidate(key).await;
            let _ = texts.invalidate_tag(key).await;
            assert_eq!(texts.get(key).await, Got::Unknown);
        }
        let foo = texts.get("foo").await.value();
        assert_eq!(foo.as_deref().map(String::as_str), Some("bar"));
    });
}

#[test]
fn bug_d1_a_call_without_a_ttl_is_answered_and_kept_nowhere() {
    let pair = Pair::new();
    let terms = Terms {
        ttl: Some(Duration::ZERO),
        ..Terms::default()
    };
    let keys = pair.shelf.keys();
    let call = loaded(&pair.one.numbers, &pair.source, terms, After::default());
    assert_eq!(pair.time.block_on(call).unwrap(), 1);
    assert_eq!(pair.held(), None);
    assert!(
        pair.shelf.keys() <= keys + 2,
        "no entry and no token: two barriers at most"
    );
}

#[test]
fn bug_d1_a_ttl_of_nothing_is_refused_for_a_far_cache() {
    let time = Virtual::new();
    let larder = larder(&time, &shelf(&time));
    let cache = larder
        .cache::<u64, u64>("numbers")
        .ttl(Duration::ZERO)
        .far()
        .build();
    assert_eq!(cache.unwrap_err().setting(), "ttl");
    let deadline = larder
        .cache::<u64, u64>("numbers")
        .ttl(TTL)
        .far_deadline(Duration::ZERO)
        .far();
    assert_eq!(deadline.build().unwrap_err().setting(), "far_deadline");
}

#[test]
fn bug_d3_huge_times_are_kept_as_the_longest() {
    for huge in [
        Duration::MAX,
        Duration::from_secs(u64::MAX),
        Duration::from_millis(i64::MAX as u64),
    ] {
        let time = Virtual::new();
        let shelf = shelf(&time);
        let build = || {
            let cache = larder(&time, &shelf).cache::<u64, u64>("numbers").ttl(huge);
            let cache = cache
                .absent_ttl(huge)
                .deadline(huge)
                .far_deadline(huge)
                .far();
            cache.build().unwrap()
        };
        let (one, two) = (build(), build());
        beat(&time);
        time.block_on(async {
            let loaded = one.get_or_load(&1, || async { 7 }).await;
            assert_eq!(loaded.unwrap(), 7);
            assert_eq!(two.get(&1).await, Got::Value(7.into()));
            let _ = one.put(&2, None::<u64>).await;
            assert_eq!(two.get(&2).await, Got::KnownAbsent);
            let _ = two.expire(&1).await;
            assert_eq!(one.get(&1).await, Got::Unknown);
        });
    }
}

/// Whatever was done, all that it left in the store ends.
#[test]
fn bug_d5_all_that_a_cache_leaves_in_the_store_ends() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    {
        let pair = Pair::at(&time, &shelf, CacheBuilder::far);
        pair.fetch();
        time.block_on(async {
            let numbers = &pair.one.numbers;
            let _ = numbers.put(&2, 2).await;
            let _ = numbers.expire(&2).await;
            let _ = numbers.invalidate_tag("other").await;
            let _ = numbers.put(&3, None::<u64>).await;
            let _unused = numbers.ticket(&4).await;
            let fails = numbers.get_or_load(&5, || async { Err::<u64, _>("down".to_owned()) });
            assert!(fails.await.is_err());
            let _ = numbers.clear().await;
        });
        pair.fetch();
    }
    time.advance(3 * (TTL + 30 * SECOND) + SECOND);
    // Changes sweep what has ended.
    let filler = Address::new("filler", b"1");
    for _ in 0..100 {
        time.block_on(shelf.put(filler, "x".into(), Ttl::MAX))
            .unwrap();
    }
    assert_eq!(shelf.keys(), 1);
}
