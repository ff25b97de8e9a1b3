//! Values are dropped where they may do what they like: under no lock of the cache.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use futures_lite::future::block_on;
use larder_engine::Cache;
use larder_kit::Virtual;

use crate::support::{SECOND, larder};

/// Comes back to its cache when it is dropped.
struct Returning {
    key: u64,
    home: Arc<Home>,
}

#[derive(Default)]
struct Home {
    cache: OnceLock<Cache<u64, Returning>>,
    drops: AtomicUsize,
}

impl Drop for Returning {
    fn drop(&mut self) {
        let Some(cache) = self.home.cache.get() else {
            return;
        };
        self.home.drops.fetch_add(1, Ordering::SeqCst);
        block_on(async {
            cache.get(&self.key).await;
            cache.invalidate(&self.key).await;
        });
    }
}

fn home(time: &Virtual, capacity: usize) -> Arc<Home> {
    let home = Arc::new(Home::default());
    let cache = larder(time).cache("home").ttl(SECOND).capacity(capacity);
    let cache = cache.build().unwrap();
    home.cache.set(cache).expect("set once");
    home
}

/// Runs `work` with a cache whose values come back, and gives how many did. A deadlock would not
/// end, so it is waited for with an end.
fn drops(capacity: usize, work: impl FnOnce(&Virtual, &Arc<Home>) + Send + 'static) -> usize {
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let time = Virtual::new();
        let home = home(&time, capacity);
        work(&time, &home);
        let drops = home.drops.load(Ordering::SeqCst);
        done.send(drops).expect("somebody waits");
    });
    let ended = ended.recv_timeout(Duration::from_secs(20));
    ended.expect("a value that comes back to its cache is dropped under no lock of it")
}

fn put(home: &Arc<Home>, key: u64) {
    let value = Arc::new(Returning {
        key,
        home: Arc::clone(home),
    });
    let cache = home.cache.get().expect("set at the start");
    block_on(cache.put(&key, value));
}

#[test]
fn replaced_values_may_come_back() {
    let replaced = drops(100, |_, home| {
        for key in (0..50).chain(0..50) {
            put(home, key);
        }
    });
    // Each that was replaced takes the one that replaced it along.
    assert_eq!(replaced, 100);
}

#[test]
fn evicted_values_may_come_back() {
    let evicted = drops(1, |_, home| (0..50).for_each(|key| put(home, key)));
    assert!(evicted >= 49, "{evicted}");
}

#[test]
fn invalidated_and_cleared_values_may_come_back() {
    let gone = drops(100, |_, home| {
        (0..50).for_each(|key| put(home, key));
        let cache = home.cache.get().unwrap();
        block_on(async {
            for key in 0..25 {
                cache.invalidate(&key).await;
            }
            cache.clear().await;
        });
    });
    assert!((25..=50).contains(&gone), "{gone}");
}

#[test]
fn swept_values_may_come_back() {
    let swept = drops(100, |time, home| {
        (0..50).for_each(|key| put(home, key));
        time.advance(SECOND * 2);
    });
    assert_eq!(swept, 50);
}

#[test]
fn values_that_give_way_to_absence_or_to_a_load_may_come_back() {
    let gone = drops(100, |time, home| {
        let cache = home.cache.get().unwrap();
        for key in 0..25 {
            put(home, key);
            block_on(cache.put(&key, None::<Arc<Returning>>));
            put(home, key);
            time.hand().advance(SECOND);
            let load = cache.get_or_load(&key, || async { None::<Arc<Returning>> });
            assert!(time.block_on(load).unwrap().is_none());
        }
    });
    assert_eq!(gone, 50);
}
