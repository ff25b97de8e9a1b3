//! L5 and the cost of a hit: nothing is allocated, the body is not entered, the load is not built,
//! and the system is not called.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use larder::{Cache, CacheBuilder, Larder, Refresh, Shelf, cacheable, observe};
use larder_kit::Virtual;

mod syscalls;

type Cached = Cache<String, u64>;

/// How often bodies were entered, and how often what a load owns was made.
#[derive(Debug, Default)]
struct Counts {
    entered: AtomicUsize,
    built: AtomicUsize,
}

/// An argument that a load has to own; who clones it builds a load.
struct Argument(Arc<Counts>);

impl Clone for Argument {
    fn clone(&self) -> Self {
        self.0.built.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(&self.0))
    }
}

impl Argument {
    fn enter(&self) -> Arc<u64> {
        self.0.entered.fetch_add(1, Ordering::SeqCst);
        Arc::new(7)
    }
}

#[cacheable(cache, key = key)]
async fn by_attribute(cache: &Cached, key: &str, argument: &Argument) -> Arc<u64> {
    argument.enter()
}

#[cacheable(cache, key = key)]
fn blocking(cache: &Cached, key: &str, argument: &Argument) -> Arc<u64> {
    argument.enter()
}

#[cacheable(cache, key = key, load = hand_over)]
async fn held(cache: &Cached, key: &str, argument: &Argument) -> Arc<u64> {
    argument.enter()
}

#[cacheable(
    cache,
    key = key,
    ttl = "1h",
    stale = "1h",
    refresh = 0.8,
    jitter = 0.1,
    tags = [argument.enter(), key.len()],
    unless = |value| **value == 0,
)]
async fn with_all(cache: &Cached, key: &str, argument: &Argument) -> Arc<u64> {
    argument.enter()
}

const HOUR: Duration = Duration::from_secs(3600);

fn hits(larder: &Larder) -> CacheBuilder<String, u64> {
    larder.cache("hits")
}

/// A cache with all that a hit has to look at.
fn all_set(larder: &Larder) -> CacheBuilder<String, u64> {
    let cache = hits(larder).ttl(HOUR).stale(HOUR).max_age(HOUR * 2);
    cache.idle(HOUR).refresh(Refresh::At(0.8)).jitter(0.1)
}

/// A hundred hits in each form.
async fn hundred(cache: &Cached, argument: &Argument) {
    for _ in 0..100 {
        by_attribute(cache, "k", argument).await;
        with_all(cache, "k", argument).await;
        held(cache, "k", argument).await;
        let held = cache.get_or_load("k", || async { Arc::new(8) }).await;
        assert_eq!(*held.unwrap(), 7);
        cache.get("k").await;
        blocking(cache, "k", argument);
    }
}

/// Allocations of a hundred hits in each form.
fn allocations(cache: &Cached, argument: &Argument) -> u64 {
    let hits = hundred(cache, argument);
    futures_lite::pin!(hits);
    let polled = allocation_counter::measure(|| {
        futures_lite::future::block_on(hits);
    });
    polled.count_total
}

fn costs_nothing(time: &Virtual, cache: &Cached) {
    let counts = Arc::<Counts>::default();
    let argument = Argument(counts.clone());
    let seen = || {
        let count = |of: &AtomicUsize| of.load(Ordering::SeqCst);
        (count(&counts.entered), count(&counts.built))
    };
    time.block_on(with_all(cache, "k", &argument));
    // Its tags are told by the same count.
    assert_eq!(seen(), (2, 1), "a miss");
    // The first run pays for what a thread allocates once.
    allocations(cache, &argument);
    assert_eq!(allocations(cache, &argument), 0);
    let (_, observed) = time.block_on(observe(by_attribute(cache, "k", &argument)));
    assert_eq!(observed.len(), 1);
    assert_eq!(allocations(cache, &argument), 0);
    assert_eq!(seen(), (2, 1), "no body was entered and no load built");
}

#[test]
fn l5_a_hit_allocates_nothing_enters_nothing_and_builds_nothing() {
    let time = Virtual::new();
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    costs_nothing(&time, &hits(&larder).build().unwrap());
    costs_nothing(&time, &all_set(&larder).build().unwrap());
}

#[test]
fn l5_nor_does_a_near_hit_of_a_cache_with_a_far_tier() {
    let time = Virtual::new();
    let shelf = Shelf::new(time.runtime().as_ref());
    let larder = Larder::builder().runtime(time.clone()).far(shelf);
    let larder = larder.build().unwrap();
    let cache = all_set(&larder).far().build().unwrap();
    time.advance(Duration::from_secs(2));
    costs_nothing(&time, &cache);
}
