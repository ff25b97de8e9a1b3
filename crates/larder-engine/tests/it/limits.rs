//! Loads are bounded in number, for each cache and for all caches of a larder.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder_core::LoadErrorKind::Refused;
use larder_core::Runtime;
use larder_engine::{Cache, Larder};
use larder_kit::Virtual;

use crate::support::{Numbers, SECOND, Source, begin, numbers, panicking};

/// The kind of error that a call of `key` gets at once, if any.
fn refused(time: &Virtual, cache: &Numbers, key: u64) -> bool {
    match time.block_on(Source::ready().fetch(cache, key)) {
        Ok(_) => false,
        Err(error) => {
            assert_eq!(error.kind(), Refused, "{error}");
            true
        }
    }
}

#[test]
fn one_load_more_than_a_cache_may_run_is_refused() {
    let time = Virtual::new();
    let cache = numbers(&time).max_loads(2).build().unwrap();
    let source = Source::held();
    let mut calls = [1, 2].map(|key| Box::pin(source.fetch(&cache, key)));
    calls.iter_mut().for_each(|call| begin(&time, call));
    assert_eq!(cache.stats().running, 2);
    assert!(refused(&time, &cache, 3));
    let mut joined = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut joined);
    source.gate.open();
    time.block_on(async {
        for call in calls {
            call.await.unwrap();
        }
        joined.await.unwrap();
    });
    assert!(!refused(&time, &cache, 3));
}

#[test]
fn a_hit_needs_no_load_and_is_never_refused() {
    let time = Virtual::new();
    let cache = numbers(&time).max_loads(1).build().unwrap();
    time.block_on(cache.put(&1, 7));
    let source = Source::held();
    let mut running = Box::pin(source.fetch(&cache, 2));
    begin(&time, &mut running);
    assert!(!refused(&time, &cache, 1));
    assert!(refused(&time, &cache, 3));
}

#[test]
fn the_bound_of_a_larder_counts_the_loads_of_all_its_caches() {
    let time = Virtual::new();
    let larder = Larder::builder().runtime(time.clone()).max_loads(3);
    let larder = larder.build().unwrap();
    let build = |name| -> Numbers { larder.cache(name).max_loads(2).build().unwrap() };
    let (one, two) = (build("one"), build("two"));
    let source = Source::held();
    let places = [(&one, 1), (&one, 2), (&two, 1)];
    let mut calls = places.map(|(cache, key)| Box::pin(source.fetch(cache, key)));
    calls.iter_mut().for_each(|call| begin(&time, call));
    assert!(refused(&time, &one, 3), "two of two in the cache");
    assert!(refused(&time, &two, 2), "three of three in the larder");
    source.gate.open();
    for call in calls {
        time.block_on(call).unwrap();
    }
    assert!(!refused(&time, &one, 3));
    assert!(!refused(&time, &two, 2));
}

#[test]
fn a_permit_comes_back_however_a_load_ends() {
    let time = Virtual::new();
    let cache = numbers(&time)
        .max_loads(1)
        .deadline(SECOND)
        .build()
        .unwrap();
    let free = |what| {
        time.run_until_idle();
        assert_eq!(cache.stats().running, 0, "after {what}");
        assert!(!refused(&time, &cache, 9), "after {what}");
        time.block_on(cache.clear());
    };
    time.block_on(Source::ready().fetch(&cache, 1)).unwrap();
    free("a value");
    let absent = cache.get_or_load(&2, || async { None::<u64> });
    time.block_on(absent).unwrap();
    free("absence");
    let failing = cache.get_or_load(&1, || async { Err::<u64, _>(std::fmt::Error) });
    time.block_on(failing).unwrap_err();
    free("an error");
    time.block_on(cache.get_or_load(&1, panicking)).unwrap_err();
    free("a panic");
    let held = Source::held();
    let mut call = Box::pin(held.fetch(&cache, 1));
    begin(&time, &mut call);
    time.advance(SECOND);
    time.block_on(call).unwrap_err();
    free("the deadline");
    let mut call = Box::pin(held.fetch(&cache, 1));
    begin(&time, &mut call);
    drop(call);
    held.gate.open();
    free("the callers have left");
    let mut call = Box::pin(held.fetch(&cache, 1));
    begin(&time, &mut call);
    time.block_on(cache.invalidate(&1));
    time.block_on(call).unwrap();
    free("an invalidation");
    let mut call = Box::pin(held.fetch(&cache, 1));
    begin(&time, &mut call);
    time.drop_tasks();
    time.block_on(call).unwrap_err();
    free("the end of the runtime's tasks");
}

#[test]
fn a_refusal_costs_the_key_nothing() {
    let time = Virtual::new();
    let cache = numbers(&time).max_loads(1).build().unwrap();
    let source = Source::held();
    let mut running = Box::pin(source.fetch(&cache, 2));
    begin(&time, &mut running);
    for _ in 0..5 {
        assert!(refused(&time, &cache, 1));
    }
    source.gate.open();
    time.block_on(running).unwrap();
    assert!(!refused(&time, &cache, 1));
    assert_eq!(cache.stats().failed, 5);
}

#[test]
fn a_flood_of_keys_holds_as_many_loads_as_may_run_and_no_more() {
    let time = Virtual::new();
    let cache: Cache<u64, u64> = numbers(&time).max_loads(7).build().unwrap();
    let most = Arc::new(AtomicUsize::new(0));
    let now = Arc::new(AtomicUsize::new(0));
    let mut refusals = 0;
    let mut calls = Vec::new();
    for key in 0..1000 {
        let (most, now) = (Arc::clone(&most), Arc::clone(&now));
        let sleep = time.sleep(SECOND * (key % 5) as u32);
        let cache = cache.clone();
        calls.push(time.spawn(async move {
            let body = move || async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                sleep.await;
                now.fetch_sub(1, Ordering::SeqCst);
                key
            };
            cache.get_or_load(&key, body).await
        }));
        if key % 50 == 0 {
            time.advance(SECOND);
        }
    }
    time.advance(SECOND * 10);
    for call in calls {
        refusals += usize::from(time.block_on(call).is_err());
    }
    assert_eq!(most.load(Ordering::SeqCst), 7);
    assert!(refusals > 0 && refusals < 1000, "{refusals}");
}
