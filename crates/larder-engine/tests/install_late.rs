//! The larder of caches that name none, where a cache came before the choice. Alone in its process.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use larder_engine::{Cache, Larder};

#[test]
fn after_the_first_use_of_the_default_nothing_can_be_installed() {
    // A cache that cannot be built uses nothing.
    let wrong = Cache::<u64, u64>::builder("early").capacity(0).build();
    wrong.unwrap_err();
    let used: Cache<u64, u64> = Cache::builder("early").build().unwrap();
    let late = Larder::builder().build().unwrap();
    assert!(late.install().is_err());
    let twice = Cache::<u64, u64>::builder("early").build();
    assert_eq!(twice.unwrap_err().setting(), "name");
    futures_lite::future::block_on(async {
        used.put(&1, 7).await;
        assert!(used.get(&1).await.value().is_some());
    });
}
