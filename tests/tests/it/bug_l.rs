//! bug-L12: what a process holds stays within its bounds, whatever becomes of its calls.

use futures_lite::future::poll_once;
use larder::{Cache, Larder};
use larder_kit::Virtual;

const KEYS: u64 = 1_000_000;
const CAPACITY: usize = 1_000;
const MIB: u64 = 1 << 20;

/// A third of the calls is dropped while the load runs, a third fails, a third is kept.
async fn call(cache: &Cache<u64, u64>, key: u64) {
    match key % 3 {
        0 => {
            let mut call = Box::pin(cache.get_or_load_scoped(&key, std::future::pending::<u64>));
            assert!(poll_once(&mut call).await.is_none());
        }
        1 => {
            let fails = || async { Err::<u64, _>(std::fmt::Error) };
            assert!(cache.get_or_load_scoped(&key, fails).await.is_err());
        }
        _ => {
            let load = || async { key };
            assert_eq!(cache.get_or_load_scoped(&key, load).await.unwrap(), key);
        }
    }
}

#[test]
fn bug_l12_a_million_keys_of_which_most_come_to_nothing_take_no_more_room_than_a_thousand() {
    let time = Virtual::new();
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    let cache = larder.cache("flood").capacity(CAPACITY).build().unwrap();
    let flood = allocation_counter::measure(|| {
        time.block_on(async {
            for key in 0..KEYS {
                call(&cache, key).await;
            }
        });
    });
    time.run_until_idle();
    let stats = cache.stats();
    assert!(stats.entries <= CAPACITY && stats.entries * 10 >= CAPACITY * 9);
    assert_eq!(stats.running, 0);
    let third = KEYS / 3;
    assert_eq!((stats.abandoned, stats.failed), (third + 1, third));
    assert!(flood.bytes_max < 20 * MIB, "{} at once", flood.bytes_max);
    assert!(
        flood.bytes_current < MIB as i64,
        "{} stay",
        flood.bytes_current
    );
    assert_eq!((time.tasks(), time.sleepers()), (1, 1), "the sweep is left");
}

/// The same with loads that belong to the cache, and end with the last who waits.
#[test]
fn bug_l12_loads_of_the_caches_own_that_are_left_or_fail_leave_nothing() {
    let time = Virtual::new();
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    let cache = larder.cache("flood").capacity(CAPACITY).build().unwrap();
    let cancel = || larder::CallOptions::new().cancel();
    let flood = allocation_counter::measure(|| {
        for key in 0..KEYS / 20 {
            time.block_on(async {
                if key % 3 == 0 {
                    let load = std::future::pending::<u64>;
                    let call = cache.get_or_load_with(&key, cancel(), load);
                    assert!(poll_once(Box::pin(call)).await.is_none());
                } else {
                    let load = move || async move {
                        if key % 3 == 1 {
                            Err(std::fmt::Error)
                        } else {
                            Ok(key)
                        }
                    };
                    let call = cache.get_or_load(&key, load).await;
                    assert_eq!(call.is_err(), key % 3 == 1);
                }
            });
            time.run_until_idle();
        }
    });
    let stats = cache.stats();
    assert!(stats.entries <= CAPACITY);
    assert_eq!(stats.running, 0);
    assert!(flood.bytes_max < 20 * MIB, "{} at once", flood.bytes_max);
    assert_eq!((time.tasks(), time.sleepers()), (1, 1), "the sweep is left");
}
