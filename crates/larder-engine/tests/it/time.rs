//! What is stored is used for its time and not an instant longer.

use std::time::Duration;

use larder_core::{Clock, Runtime};
use larder_engine::{Got, Larder, Outcome, Smol, Why};
use larder_kit::Virtual;

use crate::support::{INSTANT, Numbers, SECOND, Source, TTL, begin, larder, numbers};

/// Whether a call now is answered by the near tier.
fn hits(time: &Virtual, cache: &Numbers) -> bool {
    !matches!(time.block_on(cache.get(&1)), Got::Unknown)
}

#[test]
fn a_value_is_used_up_to_its_ttl_exactly() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    time.block_on(source.fetch(&cache, 1)).unwrap();
    time.advance(TTL - INSTANT);
    assert!(hits(&time, &cache));
    time.advance(INSTANT);
    assert!(!hits(&time, &cache));
    time.block_on(source.fetch(&cache, 1)).unwrap();
    assert_eq!(source.calls(), 2);
}

#[test]
fn a_hit_prolongs_nothing() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    time.block_on(source.fetch(&cache, 1)).unwrap();
    for _ in 0..300 {
        assert!(hits(&time, &cache));
        time.advance(SECOND);
    }
    assert!(!hits(&time, &cache));
}

#[test]
fn the_ttl_of_a_load_starts_when_it_is_stored_and_its_age_when_it_began() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let mut call = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut call);
    time.advance(SECOND * 9);
    source.gate.open();
    time.block_on(call).unwrap();
    time.advance(SECOND);
    let hit = time.block_on(source.fetch(&cache, 1)).unwrap();
    let Outcome::Near { age, left, .. } = hit.outcome else {
        panic!("{:?}", hit.outcome);
    };
    assert_eq!(age, SECOND * 10);
    assert_eq!(left, Some(TTL - SECOND));
}

#[test]
fn a_put_starts_the_time_anew() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(cache.put(&1, 7));
    time.advance(TTL - SECOND);
    time.block_on(cache.put(&1, 8));
    time.advance(TTL - INSTANT);
    assert!(hits(&time, &cache));
    time.advance(INSTANT);
    assert!(!hits(&time, &cache));
}

#[test]
fn without_a_ttl_a_value_has_no_end() {
    let time = Virtual::new();
    let cache: Numbers = larder(&time).cache("endless").build().unwrap();
    let source = Source::ready();
    time.block_on(source.fetch(&cache, 1)).unwrap();
    time.hand()
        .advance(Duration::from_secs(500 * 365 * 24 * 3600));
    let hit = time.block_on(source.fetch(&cache, 1)).unwrap();
    assert!(
        matches!(hit.outcome, Outcome::Near { left: None, .. }),
        "{:?}",
        hit.outcome
    );
}

#[test]
fn absence_has_a_time_of_its_own_and_none_longer_than_values() {
    let ten = SECOND * 10;
    let cases: [(Option<u64>, Option<u64>, Duration); 5] = [
        (None, None, ten),
        (Some(300), None, ten),
        (Some(5), None, SECOND * 5),
        (Some(300), Some(60), SECOND * 60),
        (Some(5), Some(60), SECOND * 5),
    ];
    for (ttl, absent_ttl, expected) in cases {
        let time = Virtual::new();
        let mut cache = larder(&time).cache("absence");
        if let Some(ttl) = ttl {
            cache = cache.ttl(Duration::from_secs(ttl));
        }
        if let Some(ttl) = absent_ttl {
            cache = cache.absent_ttl(Duration::from_secs(ttl));
        }
        let cache: Numbers = cache.build().unwrap();
        for put in [false, true] {
            if put {
                time.block_on(cache.put(&1, None::<u64>));
            } else {
                let load = cache.get_or_load(&1, || async { None::<u64> });
                assert_eq!(time.block_on(load).unwrap(), None);
            }
            time.advance(expected - INSTANT);
            assert_eq!(time.block_on(cache.get(&1)), Got::KnownAbsent);
            time.advance(INSTANT);
            assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
        }
    }
}

#[test]
fn an_expired_value_is_the_reason_of_the_next_load() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    time.block_on(source.fetch(&cache, 1)).unwrap();
    // A jump, so that no sweep runs in between.
    time.hand().advance(TTL);
    let loaded = time.block_on(source.fetch(&cache, 1)).unwrap();
    let expired = matches!(
        loaded.outcome,
        Outcome::Loaded {
            why: Why::Expired,
            ..
        }
    );
    assert!(expired, "{:?}", loaded.outcome);
}

#[test]
fn a_coarse_clock_ends_an_entry_one_step_early() {
    let runtime = Smol::global();
    let step = runtime.clock().step();
    assert_eq!(step, Clock::monotonic().step());
    let larder = Larder::builder().runtime(runtime).build().unwrap();
    let cache: Numbers = larder.cache("coarse").ttl(TTL).build().unwrap();
    let hit = smol::block_on(async {
        cache.put(&1, 7).await;
        cache.fetch(&1, || async { 8 }).await.unwrap()
    });
    assert_eq!(hit.value, 7);
    let Outcome::Near { left, .. } = hit.outcome else {
        panic!("{:?}", hit.outcome);
    };
    assert!(left.is_some_and(|left| left <= TTL - step), "{left:?}");
}
