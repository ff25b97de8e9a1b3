//! Real threads under the checker.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use futures_lite::future::{block_on, yield_now};
use larder_core::Runtime;
use larder_engine::{Cache, Larder, Smol};
use larder_kit::Gate;
use smol::Executor;

use crate::history::{History, Subject};
use crate::subjects::ByHand;

const THREADS: u64 = 4;
const KEYS: u64 = THREADS * 2;

/// Runs `body` while two threads run an executor.
pub(crate) fn with_executor<T>(body: impl FnOnce(&'static Executor<'static>) -> T) -> T {
    let executor: &'static Executor<'static> = Box::leak(Box::default());
    let end = Gate::closed();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| block_on(executor.run(end.wait())));
        }
        let _end = Ending(&end);
        body(executor)
    })
}

/// Opens a gate at the end, also by a panic.
struct Ending<'a>(&'a Gate);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// One step of a thread: mostly a read of any key, else a write of a key of its own.
async fn step(me: u64, random: u64, history: &Arc<History>, subject: &impl Subject) {
    let (kind, how, any) = (random % 8, random >> 8, (random >> 32) % KEYS);
    if kind < 2 {
        let mine = me * 2 + any % 2;
        return history.write(subject, mine, how).await;
    }
    let source = Arc::clone(history);
    let load = async move {
        let version = source.source(any);
        for _ in 0..how % 3 {
            thread::yield_now();
            yield_now().await;
        }
        version
    };
    history.read(subject, any, load).await;
}

/// Lets all threads take steps, until each has taken its own number or something broke.
fn steps(steps: usize, subject: &impl Subject) -> Vec<String> {
    let history = Arc::new(History::new(KEYS));
    thread::scope(|scope| {
        for me in 0..THREADS {
            let history = &history;
            scope.spawn(move || {
                let random = Smol::global();
                for _ in 0..steps {
                    block_on(step(me, random.random(), history, subject));
                    if !history.broken().is_empty() {
                        return;
                    }
                }
            });
        }
    });
    history.broken()
}

#[test]
fn no_thread_sees_what_was_invalidated_before() {
    with_executor(|executor| {
        let larder = Larder::builder().runtime(Smol::on(executor));
        let cache: Cache<u64, u64> = larder.build().unwrap().cache("stress").build().unwrap();
        assert_eq!(steps(5_000, &cache), [""; 0]);
        let stats = cache.stats();
        assert!(
            stats.near > 0 && stats.loaded > 0 && stats.refused > 0,
            "{stats:?}"
        );
        assert_eq!((stats.failed, stats.running), (0, 0));
    });
}

#[test]
fn threads_that_miss_the_same_keys_together_load_each_once() {
    const KEYS: u64 = 5_000;
    with_executor(|executor| {
        let larder = Larder::builder().runtime(Smol::on(executor));
        let cache = larder.build().unwrap().cache("once").capacity(1 << 20);
        let cache: Cache<u64, u64> = cache.build().unwrap();
        let loads = Arc::new(AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for key in 0..KEYS {
                        let loads = Arc::clone(&loads);
                        // So short that it often ends while another thread is about to join.
                        let load = || async move { loads.fetch_add(1, Ordering::SeqCst) };
                        block_on(cache.get_or_load(&key, load)).unwrap();
                    }
                });
            }
        });
        assert_eq!(loads.load(Ordering::SeqCst), KEYS);
        let stats = cache.stats();
        assert_eq!(stats.loaded, KEYS);
        assert_eq!(stats.near + stats.joined, KEYS * (THREADS - 1));
    });
}

#[test]
fn of_threads_that_put_together_one_wins() {
    let cache: Cache<u64, u64> = Larder::builder()
        .build()
        .unwrap()
        .cache("puts")
        .build()
        .unwrap();
    let start = Barrier::new(THREADS as usize);
    for round in 0..2_000 {
        thread::scope(|scope| {
            for me in 0..THREADS {
                let (cache, start) = (&cache, &start);
                scope.spawn(move || {
                    start.wait();
                    block_on(cache.put(&1, round * THREADS + me));
                });
            }
        });
        let held = block_on(cache.get(&1)).value();
        assert_eq!(held.map(|value| *value / THREADS), Some(round));
    }
}

#[test]
fn the_checker_finds_a_cache_that_is_written_by_hand() {
    let mut tries = 0..50;
    let found = tries.any(|_| !steps(5_000, &ByHand::default()).is_empty());
    assert!(found, "the checker finds nothing");
}
