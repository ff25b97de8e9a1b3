//! Settings out of their range are refused by name; huge ones are clamped.

use std::time::Duration;

use larder_core::Ttl;
use larder_engine::{BuildError, Cache, CacheBuilder, Larder, Outcome};
use larder_kit::Virtual;

use crate::support::{Numbers, Source, larder, numbers};

type Setting = fn(CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64>;

const SHORT: Duration = Duration::from_nanos(9_999_999);

fn refused(setting: Setting) -> BuildError {
    setting(numbers(&Virtual::new())).build().unwrap_err()
}

#[test]
fn each_setting_out_of_range_is_named_with_its_cache_and_reason() {
    let cases: [(&str, &str, Setting); 9] = [
        ("ttl", "zero", |cache| cache.ttl(Duration::ZERO)),
        ("ttl", "10 ms", |cache| cache.ttl(SHORT)),
        ("absent_ttl", "zero", |cache| {
            cache.absent_ttl(Duration::ZERO)
        }),
        ("absent_ttl", "10 ms", |cache| cache.absent_ttl(SHORT)),
        ("deadline", "zero", |cache| cache.deadline(Duration::ZERO)),
        ("deadline", "10 ms", |cache| cache.deadline(SHORT)),
        ("capacity", "zero", |cache| cache.capacity(0)),
        ("weight", "zero", |cache| cache.weight(0, |_, _| 1)),
        ("max_loads", "zero", |cache| cache.max_loads(0)),
    ];
    for (setting, reason, wrong) in cases {
        let error = refused(wrong);
        assert_eq!(error.setting(), setting);
        let text = error.to_string();
        for part in ["`numbers`", &format!("`{setting}`"), reason] {
            assert!(text.contains(part), "{part} is missing: {text}");
        }
    }
}

#[test]
fn a_name_must_not_be_empty() {
    let built: Result<Numbers, _> = larder(&Virtual::new()).cache("").build();
    assert_eq!(built.unwrap_err().setting(), "name");
}

#[test]
fn a_larder_without_loads_is_refused() {
    let error = Larder::builder().max_loads(0).build().unwrap_err();
    assert_eq!(error.setting(), "max_loads");
    assert!(error.to_string().starts_with("larder: "), "{error}");
}

#[test]
fn a_wrong_setting_is_refused_again_and_leaves_the_name_free() {
    let larder = larder(&Virtual::new());
    for _ in 0..2 {
        let wrong: Result<Numbers, _> = larder.cache("a").ttl(Duration::ZERO).build();
        assert_eq!(wrong.unwrap_err().setting(), "ttl");
    }
    let right: Result<Numbers, _> = larder.cache("a").build();
    assert!(right.is_ok());
}

#[test]
fn the_shortest_durations_are_taken() {
    let time = Virtual::new();
    let shortest = Ttl::MIN.duration();
    let cache = numbers(&time).ttl(shortest).absent_ttl(shortest);
    assert!(cache.deadline(shortest).build().is_ok());
}

#[test]
fn huge_durations_are_clamped_and_keep_what_is_stored() {
    for huge in [
        Duration::MAX,
        Duration::from_secs(u64::MAX),
        Duration::from_millis(i64::MAX as u64),
        Duration::from_nanos(u64::MAX),
    ] {
        let time = Virtual::new();
        let cache = numbers(&time).ttl(huge).absent_ttl(huge).deadline(huge);
        let cache = cache.build().unwrap();
        time.block_on(async {
            Source::ready().fetch(&cache, 1).await.unwrap();
            cache.put(&2, None::<u64>).await;
        });
        let years = Duration::from_secs(90 * 365 * 24 * 3600);
        time.hand().advance(years);
        let hit = time.block_on(Source::ready().fetch(&cache, 1)).unwrap();
        let Outcome::Near { age, left, .. } = hit.outcome else {
            panic!("{:?}", hit.outcome);
        };
        assert_eq!(age, years);
        assert_eq!(left, Some(Ttl::MAX.duration() - years));
        time.hand().advance(left.unwrap());
        let gone = time.block_on(Source::ready().fetch(&cache, 1)).unwrap();
        assert_eq!(gone.outcome.detail(), "loaded");
    }
}

#[test]
fn huge_bounds_are_taken() {
    let time = Virtual::new();
    let larder = larder(&time);
    let counted: Cache<u64, u64> = larder
        .cache("counted")
        .capacity(usize::MAX)
        .build()
        .unwrap();
    let weighed = larder.cache("weighed").weight(u64::MAX, |_, _| u64::MAX);
    let weighed: Cache<u64, u64> = weighed.max_loads(usize::MAX).build().unwrap();
    time.block_on(async {
        for cache in [counted, weighed] {
            cache.put(&1, 7).await;
            assert_eq!(cache.get(&1).await.value().as_deref(), Some(&7));
        }
    });
}
