//! What Spring's tests of a cache object check, on the plain form.

use larder_core::LoadErrorKind;
use larder_engine::Got;
use larder_kit::Virtual;

use crate::support::{Source, TTL, larder, numbers};

#[test]
fn sp42_a_loader_is_not_called_on_a_hit_nor_on_a_known_absence() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(async {
        let _ = cache.put(&1, 7).await;
        let _ = cache.put(&2, None::<u64>).await;
        for (key, held) in [(1, Some(7)), (2, None)] {
            let got = cache.get_or_load(&key, || async { panic!("called") as Option<u64> });
            assert_eq!(got.await.unwrap(), held);
        }
    });
}

#[test]
fn sp43_a_load_of_nothing_is_kept_as_nothing() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(async {
        let loaded = cache.get_or_load(&1, || async { None::<u64> }).await;
        assert_eq!(loaded.unwrap(), None);
        assert_eq!(cache.get(&1).await, Got::KnownAbsent);
    });
}

#[test]
fn sp44_the_error_of_a_loader_is_wrapped_and_nothing_is_stored() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(async {
        let failed = cache.get_or_load(&1, || async { Err::<u64, _>("out of apples".to_owned()) });
        let error = failed.await.unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Source);
        assert_eq!(error.to_string(), "out of apples");
        assert!(
            error.downcast_ref::<String>().is_some(),
            "the original is in it"
        );
        assert_eq!(cache.get(&1).await, Got::Unknown);
        assert_eq!(cache.get_or_load(&1, || async { 7 }).await.unwrap(), 7);
    });
}

#[test]
fn sp45_concurrent_calls_run_the_loader_once() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let calls: Vec<_> = (0..50)
        .map(|_| time.spawn(source.fetch(&cache, 1)))
        .collect();
    time.run_until_idle();
    source.gate.open();
    for call in calls {
        assert_eq!(time.block_on(call).unwrap().value, 1);
    }
    assert_eq!(source.calls(), 1);
}

#[test]
fn sp46_put_if_absent_remove_clear_and_the_name() {
    let time = Virtual::new();
    let cache = larder(&time)
        .cache::<u64, u64>("prices")
        .ttl(TTL)
        .build()
        .unwrap();
    assert_eq!(cache.name(), "prices");
    time.block_on(async {
        let first = cache.get_or_load(&1, || async { 7 }).await;
        let second = cache.get_or_load(&1, || async { 8 }).await;
        assert_eq!((first.unwrap(), second.unwrap()), (7, 7), "put if absent");
        let _ = cache.put(&2, 2).await;
        let _ = cache.invalidate(&1).await;
        assert_eq!(cache.get(&1).await, Got::Unknown);
        assert_eq!(cache.get(&2).await, Got::Value(2.into()));
        let _ = cache.clear().await;
        assert_eq!(cache.get(&2).await, Got::Unknown);
    });
}
