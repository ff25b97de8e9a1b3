//! L5 and the cost of a hit: nothing is allocated, by attribute and by calls.

use std::sync::Arc;

use larder::{Cache, Larder, cacheable, observe};
use larder_kit::Virtual;

#[cacheable(cache, key = key)]
async fn by_attribute(cache: &Cache<String, u64>, key: &str) -> Arc<u64> {
    Arc::new(7)
}

#[cacheable(cache, key = key)]
fn blocking(cache: &Cache<String, u64>, key: &str) -> Arc<u64> {
    Arc::new(7)
}

/// Allocations of a hundred hits in each form.
fn allocations(time: &Virtual, cache: &Cache<String, u64>) -> u64 {
    let hits = async {
        for _ in 0..100 {
            by_attribute(cache, "k").await;
            let held = cache.get_or_load("k", || async { Arc::new(8) }).await;
            assert_eq!(*held.unwrap(), 7);
            cache.get("k").await;
            blocking(cache, "k");
        }
    };
    time.block_on(by_attribute(cache, "k"));
    futures_lite::pin!(hits);
    let polled = allocation_counter::measure(|| {
        futures_lite::future::block_on(hits);
    });
    polled.count_total
}

#[test]
fn a_hit_allocates_nothing_also_after_somebody_observed() {
    let time = Virtual::new();
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    let cache: Cache<String, u64> = larder.cache("hits").build().unwrap();
    // The first run pays for what a thread allocates once.
    allocations(&time, &cache);
    assert_eq!(allocations(&time, &cache), 0);
    let (_, seen) = time.block_on(observe(by_attribute(&cache, "k")));
    assert_eq!(seen.len(), 1);
    assert_eq!(allocations(&time, &cache), 0);
}
