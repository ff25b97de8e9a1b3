//! The larder of caches that name none, where a program chose it. Alone in its process.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use larder_engine::{Cache, Larder};
use larder_kit::Virtual;

#[test]
fn what_is_installed_first_is_used_by_caches_that_name_none() {
    let time = Virtual::new();
    let mine = Larder::builder().runtime(time.clone()).build().unwrap();
    mine.clone().install().unwrap();
    let ttl = Duration::from_secs(300);
    let cache: Cache<u64, u64> = Cache::builder("deals").ttl(ttl).build().unwrap();
    assert_eq!(mine.stats().len(), 1, "it is one of the installed larder's");
    time.block_on(cache.put(&1, 7));
    time.advance(ttl);
    assert!(time.block_on(cache.get(&1)).value().is_none());

    let other = Larder::builder().build().unwrap();
    let error = other.install().unwrap_err();
    assert!(error.to_string().contains("installed already"), "{error}");
    let taken = mine.cache::<u64, u64>("deals").build().unwrap_err();
    assert_eq!(taken.setting(), "name");
    assert_eq!(Larder::embedded().unwrap().stats().len(), 1);
}
