//! What `cache_evict` refuses.

use larder::{Cache, LoadError, cache_evict};
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cache_evict]
async fn no_cache(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_evict(all)]
async fn no_cache_for_all() -> Result<u64, LoadError> {
    Ok(1)
}

#[cache_evict(NUMBERS, all, key = no, skip(no))]
async fn all_and_key(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_evict(NUMBERS, all = true, befor, ttl = "5m")]
async fn words(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_evict(NUMBERS, tags = [])]
async fn no_tags(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_evict(NUMBERS, tags = ["a"], expire)]
async fn expired_tags(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_evict(NUMBERS, all, expire)]
async fn expired_all() -> Result<u64, LoadError> {
    Ok(1)
}

struct Shop;

impl Shop {
    #[cache_evict(NUMBERS)]
    async fn of_self(&self, no: u64) -> Result<u64, LoadError> {
        Ok(no)
    }
}

fn main() {}
