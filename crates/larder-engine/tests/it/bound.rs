//! The near tier never holds more than its bound.

use larder_engine::{Cache, Got};
use larder_kit::Virtual;

use crate::support::{Source, larder, numbers};

#[test]
fn bug_f5_what_has_too_long_a_key_is_given_and_not_kept() {
    let time = Virtual::new();
    let cache: Cache<String, u64> = larder(&time).cache("keys").max_key(8).build().unwrap();
    time.block_on(async {
        for (key, kept) in [("12345678", true), ("123456789", false)] {
            cache.put(key, 1).await;
            assert_eq!(cache.get(key).await.value().is_some(), kept);
            cache.invalidate(key).await;
            assert_eq!(cache.get_or_load(key, || async { 2 }).await.unwrap(), 2);
            assert_eq!(cache.get(key).await.value().is_some(), kept);
            let scoped = cache.get_or_load_scoped(key, || async { 2 });
            assert_eq!(scoped.await.unwrap(), 2);
        }
    });
    let stats = cache.stats();
    assert_eq!((stats.long_keys, stats.entries), (3, 1));
    let wrong: Result<Cache<String, u64>, _> = larder(&time).cache("keys").max_key(0).build();
    assert_eq!(wrong.unwrap_err().setting(), "max_key");
}

#[test]
fn a_capacity_is_never_passed() {
    for capacity in [1, 2, 10, 100, 1_000] {
        let time = Virtual::new();
        let cache = numbers(&time).capacity(capacity).build().unwrap();
        time.block_on(async {
            for key in 0..capacity as u64 * 5 {
                cache.put(&key, key).await;
                assert!(cache.stats().entries <= capacity);
            }
        });
        let kept = cache.stats().entries;
        assert!(kept * 10 >= capacity * 9, "{kept} of {capacity}");
    }
}

#[test]
fn what_was_evicted_is_loaded_again_and_is_right() {
    let time = Virtual::new();
    let cache = numbers(&time).capacity(10).build().unwrap();
    time.block_on(async {
        for round in 0..3 {
            for key in 0..100 {
                let got = cache
                    .get_or_load(&key, move || async move { key * 7 })
                    .await;
                assert_eq!(got.unwrap(), key * 7, "round {round}");
            }
        }
    });
    assert!(cache.stats().loaded >= 270);
}

#[test]
fn absence_takes_room_like_a_value() {
    let time = Virtual::new();
    let cache = numbers(&time).capacity(10).build().unwrap();
    time.block_on(async {
        for key in 0..100 {
            cache.put(&key, None::<u64>).await;
        }
    });
    assert!(cache.stats().entries <= 10);
}

fn by_length(time: &Virtual, most: u64) -> Cache<u64, String> {
    let cache = larder(time).cache("texts");
    cache
        .weight(most, |_, text: &String| text.len() as u64)
        .build()
        .unwrap()
}

#[test]
fn a_weight_is_never_passed() {
    let time = Virtual::new();
    let cache = by_length(&time, 1_000);
    time.block_on(async {
        let mut held = 0;
        for key in 0..200 {
            cache.put(&key, "x".repeat(50)).await;
            held = 0;
            for key in 0..=key {
                held += cache.get(&key).await.value().map_or(0, |text| text.len());
            }
            assert!(held <= 1_000, "{held}");
        }
        assert!(held >= 700, "{held}");
    });
}

#[test]
fn what_is_too_heavy_is_given_and_not_kept() {
    let time = Virtual::new();
    let cache = by_length(&time, 1_000);
    time.block_on(async {
        cache.put(&1, "small".to_owned()).await;
        let load = cache.get_or_load(&2, || async { "x".repeat(5_000) });
        assert_eq!(load.await.unwrap().len(), 5_000);
        assert_eq!(cache.get(&2).await, Got::Unknown);
        // It must not leave the older value in its place either.
        cache.put(&1, "x".repeat(5_000)).await;
        assert_eq!(cache.get(&1).await, Got::Unknown);
    });
}

#[test]
fn a_weight_of_nothing_counts_as_one() {
    let time = Virtual::new();
    let cache = larder(&time)
        .cache("weightless")
        .weight(100, |_: &u64, _: &u64| 0);
    let cache = cache.build().unwrap();
    time.block_on(async {
        for key in 0..1_000 {
            cache.put(&key, key).await;
        }
    });
    assert!(cache.stats().entries <= 100);
}

#[test]
fn an_entry_of_any_bound_is_found_again() {
    let time = Virtual::new();
    let cache = numbers(&time).capacity(1).build().unwrap();
    let source = Source::ready();
    for _ in 0..5 {
        time.block_on(source.fetch(&cache, 1)).unwrap();
    }
    assert_eq!(source.calls(), 1);
}

#[test]
fn a_value_too_heavy_is_returned_and_said_not_to_be_stored() {
    let time = Virtual::new();
    let cache = numbers(&time).weight(100, |_, value| *value);
    let cache = cache.build().unwrap();
    let fetched = time
        .block_on(cache.fetch(&1, || async { 101_u64 }))
        .unwrap();
    assert_eq!(fetched.value, 101);
    let outcome = format!("{:?}", fetched.outcome);
    assert!(outcome.contains("stored: false"), "{outcome}");
    assert_eq!(cache.stats().too_heavy, 1);
    assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
}
