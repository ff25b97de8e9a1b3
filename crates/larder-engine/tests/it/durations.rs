//! Durations and parts that make no sense are refused when a cache is built, by the setting's name;
//! huge ones are clamped.

use std::time::Duration;

use larder_engine::{CacheBuilder, CallOptions, Outcome, Refresh};
use larder_kit::Virtual;

use crate::support::{Numbers, SECOND, Source, TTL, larder, numbers};

type Builder = CacheBuilder<u64, u64>;
type Set = fn(Builder, Duration) -> Builder;
type Setting = fn(Builder) -> Builder;

const DURATIONS: [(&str, Set); 9] = [
    ("ttl", Builder::ttl),
    ("absent_ttl", Builder::absent_ttl),
    ("stale", Builder::stale),
    ("max_age", Builder::max_age),
    ("idle", Builder::idle),
    ("deadline", Builder::deadline),
    ("soft", |cache, soft| cache.stale(SECOND).soft(soft)),
    ("throttle", |cache, pause| {
        cache.stale(SECOND).throttle(pause)
    }),
    ("error_ttl", Builder::error_ttl),
];

#[test]
fn bug_d1_zero_and_too_short_durations_are_refused_by_name() {
    for (setting, set) in DURATIONS {
        for nanos in [0, 1, 9_999_999] {
            let time = Virtual::new();
            let built = set(numbers(&time), Duration::from_nanos(nanos)).build();
            assert_eq!(built.unwrap_err().setting(), setting, "{nanos}");
        }
        let time = Virtual::new();
        let built = set(numbers(&time), Duration::from_millis(10)).build();
        assert!(built.is_ok(), "{setting}");
    }
}

#[test]
fn bug_d3_huge_durations_and_their_sums_are_clamped() {
    let huge = [
        Duration::MAX,
        Duration::from_secs(u64::MAX),
        Duration::from_millis(i64::MAX as u64),
    ];
    for huge in huge {
        for at in [SECOND, Duration::from_secs(u64::from(u32::MAX))] {
            let time = Virtual::new();
            let mut cache = numbers(&time).refresh(Refresh::XFetch { beta: f64::MAX });
            for (setting, set) in DURATIONS {
                if setting != "soft" {
                    cache = set(cache, huge);
                }
            }
            let cache = cache.soft(SECOND).jitter(0.5).build().unwrap();
            time.hand().advance(at);
            let source = Source::ready();
            time.block_on(source.fetch(&cache, 1)).unwrap();
            time.run_until_idle();
            let hit = time.block_on(source.fetch(&cache, 1)).unwrap();
            assert!(
                matches!(hit.outcome, Outcome::Near { .. }),
                "{:?}",
                hit.outcome
            );
        }
    }
}

/// A call has no place to say what is wrong: what is no ttl there is not kept.
#[test]
fn bug_d1_a_call_with_a_zero_ttl_gets_its_value_and_keeps_nothing() {
    for options in [
        CallOptions::new().ttl(Duration::ZERO),
        CallOptions::new().max_age(Duration::ZERO),
    ] {
        let time = Virtual::new();
        let cache = numbers(&time).build().unwrap();
        let call = cache.get_or_load_with(&1, options, || async { 7 });
        assert_eq!(time.block_on(call).unwrap(), 7);
        assert_eq!(cache.stats().entries, 0);
    }
}

#[test]
fn t1_parts_are_parts() {
    for part in [-0.1, 1.0, 1.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let time = Virtual::new();
        let built = numbers(&time).jitter(part).build();
        assert_eq!(built.unwrap_err().setting(), "jitter", "{part}");
    }
    for refresh in [
        Refresh::At(0.0),
        Refresh::At(1.0),
        Refresh::At(f64::NAN),
        Refresh::XFetch { beta: 0.0 },
        Refresh::XFetch { beta: -1.0 },
        Refresh::XFetch {
            beta: f64::INFINITY,
        },
    ] {
        let time = Virtual::new();
        let built = numbers(&time).refresh(refresh).build();
        assert_eq!(built.unwrap_err().setting(), "refresh", "{refresh:?}");
    }
}

#[test]
fn t1_what_needs_another_setting_says_which() {
    let cases: [(&str, &str, Setting); 4] = [
        ("stale", "`ttl`", |cache| cache.stale(SECOND)),
        ("refresh", "`ttl`", |cache| cache.refresh(Refresh::At(0.5))),
        ("soft", "`stale`", |cache| cache.ttl(TTL).soft(SECOND)),
        ("idle", "`max_age`", |cache| cache.idle(SECOND)),
    ];
    for (setting, needs, set) in cases {
        let time = Virtual::new();
        let built = set(larder(&time).cache("endless")).build();
        let error = built.unwrap_err();
        assert_eq!(error.setting(), setting);
        assert!(error.to_string().contains(needs), "{error}");
    }
}

/// How long each of a thousand values has, stored in one moment.
fn lives(jitter: f64) -> Vec<Duration> {
    let time = Virtual::new();
    let cache = numbers(&time).capacity(10_000).jitter(jitter).build();
    let cache: Numbers = cache.unwrap();
    let source = Source::ready();
    let left = |key| {
        time.block_on(source.fetch(&cache, key)).unwrap();
        match time.block_on(source.fetch(&cache, key)).unwrap().outcome {
            Outcome::Near {
                left: Some(left), ..
            } => left,
            other => panic!("{other:?}"),
        }
    };
    (0..1_000).map(left).collect()
}

#[test]
fn bug_d8_chance_spreads_the_ends_and_only_shortens() {
    let lives = lives(0.1);
    let (least, most) = (*lives.iter().min().unwrap(), *lives.iter().max().unwrap());
    assert!(most <= TTL && least >= TTL * 9 / 10, "{least:?} {most:?}");
    assert!(most - least > TTL * 9 / 100, "spread over the tenth");
    let late = lives.iter().filter(|left| **left > TTL * 95 / 100).count();
    assert!((400..600).contains(&late), "evenly: {late}");
}

#[test]
fn bug_d8_without_chance_a_ttl_is_exact() {
    assert!(lives(0.0).iter().all(|left| *left == TTL));
}

/// No wall clock is looked at: all time is that of the runtime's monotonic clock, which this moves.
#[test]
fn bug_d6_only_monotonic_time_counts() {
    let time = Virtual::new();
    let (cache, source) = (
        numbers(&time).ttl(SECOND * 2).build().unwrap(),
        Source::ready(),
    );
    time.block_on(source.fetch(&cache, 1)).unwrap();
    std::thread::yield_now();
    assert!(time.block_on(cache.get(&1)).value().is_some());
    time.hand().advance(SECOND * 2);
    assert!(time.block_on(cache.get(&1)).value().is_none());
}
