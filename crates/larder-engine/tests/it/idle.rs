//! What nobody uses ends earlier.

use larder_core::LoadErrorKind::Source as Failed;
use larder_engine::{Cache, Got, Outcome, Refresh};
use larder_kit::{Gate, Virtual};

use crate::support::{INSTANT, Numbers, SECOND, Source, TTL, larder, numbers};

const IDLE: std::time::Duration = std::time::Duration::from_secs(20);

fn hits(time: &Virtual, cache: &Numbers) -> bool {
    !matches!(time.block_on(cache.get(&1)), Got::Unknown)
}

#[test]
fn sp57_each_hit_starts_the_idle_time_anew_and_unused_it_ends() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).idle(IDLE).build().unwrap(), Source::ready());
    time.block_on(source.fetch(&cache, 1)).unwrap();
    for _ in 0..5 {
        time.hand().advance(IDLE - INSTANT);
        assert!(hits(&time, &cache));
    }
    time.hand().advance(IDLE);
    assert!(!hits(&time, &cache));
    time.block_on(source.fetch(&cache, 1)).unwrap();
    assert_eq!(source.calls(), 2);
}

#[test]
fn sp57_every_form_of_a_hit_is_a_use() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).idle(IDLE).build().unwrap(), Source::ready());
    time.block_on(source.fetch(&cache, 1)).unwrap();
    let step = IDLE - SECOND;
    for form in 0..5 {
        time.hand().advance(step);
        let value = time.block_on(async {
            match form {
                0 => cache.get(&1).await.value().map(|value| *value),
                1 => cache.get_or_load(&1, || async { 9 }).await.ok(),
                2 => cache
                    .fetch(&1, || async { 9 })
                    .await
                    .ok()
                    .map(|one| one.value),
                3 => cache.get_many(&[1]).await[0]
                    .clone()
                    .value()
                    .map(|value| *value),
                _ => cache.get_or_load_scoped(&1, || async { 9 }).await.ok(),
            }
        });
        assert_eq!(value, Some(1), "{form}");
    }
}

#[test]
fn sp57_to_explain_a_key_is_no_use_of_it() {
    let time = Virtual::new();
    let cache = numbers(&time).idle(IDLE).build().unwrap();
    time.block_on(cache.put(&1, 7));
    time.hand().advance(IDLE / 2);
    let held = time.block_on(cache.explain(&1)).near;
    assert!(held.to_string().contains("10s left"), "{held}");
    time.hand().advance(IDLE / 2);
    assert!(!hits(&time, &cache));
}

#[test]
fn sp57_the_ttl_and_the_age_cap_end_what_is_used_all_the_time() {
    for cap in [None, Some(TTL / 2)] {
        let time = Virtual::new();
        let mut cache = numbers(&time).idle(IDLE);
        if let Some(cap) = cap {
            cache = cache.max_age(cap);
        }
        let cache = cache.build().unwrap();
        time.block_on(cache.put(&1, 7));
        let ends = cap.unwrap_or(TTL);
        let mut passed = std::time::Duration::ZERO;
        while passed < ends - SECOND {
            time.hand().advance(SECOND);
            passed += SECOND;
            assert!(hits(&time, &cache), "{passed:?}");
        }
        time.hand().advance(SECOND);
        assert!(!hits(&time, &cache));
    }
}

#[test]
fn sp57_an_outcome_says_how_long_it_has_if_nobody_comes() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).idle(IDLE).build().unwrap(), Source::ready());
    time.block_on(source.fetch(&cache, 1)).unwrap();
    time.hand().advance(IDLE / 2);
    let outcome = time.block_on(source.fetch(&cache, 1)).unwrap().outcome;
    let Outcome::Near { left, .. } = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(left, Some(IDLE), "counted from this use");
}

#[test]
fn sp57_what_ended_unused_is_no_fallback_and_is_swept() {
    let time = Virtual::new();
    let cache = numbers(&time).idle(IDLE).stale(TTL).build().unwrap();
    time.block_on(cache.put(&1, 7));
    time.hand().advance(IDLE);
    let load = cache.get_or_load(&1, || async { Err::<u64, _>(std::fmt::Error) });
    assert_eq!(time.block_on(load).unwrap_err().kind(), Failed);
    time.advance(SECOND * 60);
    assert_eq!(cache.stats().entries, 0);
}

#[test]
fn sp57_it_goes_with_an_early_refresh() {
    let time = Virtual::new();
    let cache = numbers(&time).idle(IDLE).refresh(Refresh::At(0.1));
    let (cache, source) = (cache.build().unwrap(), Source::ready());
    time.block_on(source.fetch(&cache, 1)).unwrap();
    time.hand().advance(IDLE - SECOND);
    assert!(hits(&time, &cache));
    time.hand().advance(IDLE - SECOND);
    source.change();
    assert_eq!(time.block_on(source.fetch(&cache, 1)).unwrap().value, 1);
    time.run_until_idle();
    assert_eq!(time.block_on(source.fetch(&cache, 1)).unwrap().value, 2);
}

#[test]
fn sp57_without_an_end_of_another_kind_it_is_refused() {
    let time = Virtual::new();
    let endless = larder(&time).cache::<u64, u64>("endless").idle(IDLE);
    assert_eq!(endless.build().unwrap_err().setting(), "idle");
    let capped = larder(&time).cache::<u64, u64>("capped").idle(IDLE);
    let capped: Cache<u64, u64> = capped.max_age(TTL).build().unwrap();
    time.block_on(capped.put(&1, 7));
    assert!(hits(&time, &capped));
}

/// The load is of before the put, and what becomes of it says nothing about that.
#[test]
fn a_load_that_fails_after_a_put_has_it_refreshed_by_nobody() {
    for hangs in [false, true] {
        let time = Virtual::new();
        let cache = numbers(&time).idle(IDLE * 10).deadline(SECOND * 3);
        let (cache, gate) = (cache.build().unwrap(), Gate::closed());
        let (there, open) = (cache.clone(), gate.clone());
        let call = time.spawn(async move {
            let load = move || async move {
                open.wait().await;
                Err::<u64, _>(std::fmt::Error)
            };
            there.get_or_load(&1, load).await
        });
        time.run_until_idle();
        time.block_on(cache.put(&1, 5));
        if !hangs {
            gate.open();
        }
        time.advance(SECOND * 3);
        assert!(time.block_on(call).is_err());
        time.advance(SECOND * 10);
        let source = Source::ready();
        let found = time.block_on(source.fetch(&cache, 1)).unwrap();
        time.run_until_idle();
        assert_eq!((found.value, source.calls()), (5, 0), "{hangs}");
    }
}
