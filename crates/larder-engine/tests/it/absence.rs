//! Absence is a result of its own, and may be left out.

use larder_core::LoadError;
use larder_engine::Got;
use larder_kit::Virtual;

use crate::support::{Numbers, Source, numbers};

/// Asks for a key of which a load finds nothing.
fn ask(time: &Virtual, cache: &Numbers, source: &Source) -> Result<Option<u64>, LoadError> {
    let source = source.clone();
    time.block_on(cache.get_or_load(&1, move || async move {
        source.read().await;
        None::<u64>
    }))
}

#[test]
fn absence_is_loaded_once_and_told_from_the_unknown() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
    for _ in 0..5 {
        assert_eq!(ask(&time, &cache, &source).unwrap(), None);
    }
    assert_eq!(source.calls(), 1);
    assert_eq!(time.block_on(cache.get(&1)), Got::KnownAbsent);
}

#[test]
fn where_absence_is_not_kept_every_call_loads() {
    let time = Virtual::new();
    let cache = numbers(&time).cache_absence(false).build().unwrap();
    let source = Source::ready();
    for _ in 0..5 {
        assert_eq!(ask(&time, &cache, &source).unwrap(), None);
    }
    assert_eq!(source.calls(), 5);
    assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
    time.block_on(source.fetch(&cache, 1)).unwrap();
    time.block_on(source.fetch(&cache, 1)).unwrap();
    assert_eq!(source.calls(), 6, "values are kept all the same");
}

#[test]
fn where_absence_is_not_kept_concurrent_calls_still_share_one_load() {
    let time = Virtual::new();
    let cache = numbers(&time).cache_absence(false).build().unwrap();
    let source = Source::held();
    let calls = [(); 10].map(|()| {
        let (cache, source) = (cache.clone(), source.clone());
        let load = move || async move {
            source.read().await;
            None::<u64>
        };
        time.spawn(async move { cache.get_or_load(&1, load).await })
    });
    time.run_until_idle();
    source.gate.open();
    for call in calls {
        assert_eq!(time.block_on(call).unwrap(), None);
    }
    assert_eq!(source.calls(), 1);
}

#[test]
fn where_absence_is_not_kept_putting_it_removes_the_value() {
    let time = Virtual::new();
    let cache = numbers(&time).cache_absence(false).build().unwrap();
    time.block_on(async {
        cache.put(&1, 7).await;
        cache.put(&1, None::<u64>).await;
        assert_eq!(cache.get(&1).await, Got::Unknown);
    });
    assert_eq!(cache.stats().entries, 0);
}

#[test]
fn where_absence_is_not_kept_a_value_that_is_gone_at_the_source_goes_at_its_ttl() {
    let time = Virtual::new();
    let cache = numbers(&time).cache_absence(false).build().unwrap();
    let source = Source::ready();
    time.block_on(cache.put(&1, 7));
    assert_eq!(ask(&time, &cache, &source).unwrap(), Some(7));
    time.hand().advance(crate::support::TTL);
    assert_eq!(ask(&time, &cache, &source).unwrap(), None);
    assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
}

#[test]
fn an_absence_of_an_absence_is_a_value() {
    let time = Virtual::new();
    let larder = crate::support::larder(&time);
    let cache: larder_engine::Cache<u64, Option<u8>> = larder.cache("options").build().unwrap();
    time.block_on(async {
        let inner = cache.get_or_load(&1, || async { Some(None::<u8>) }).await;
        assert_eq!(inner.unwrap(), Some(None));
        assert_eq!(cache.get(&1).await.value().as_deref(), Some(&None));
        let outer = cache.get_or_load(&2, || async { None::<Option<u8>> }).await;
        assert_eq!(outer.unwrap(), None);
        assert_eq!(cache.get(&2).await, Got::KnownAbsent);
    });
}
