//! What `cache_put` refuses.

use larder::{Cache, LoadError, cache_put};
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cache_put]
async fn no_cache(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_put(NUMBERS)]
async fn nothing_to_put(no: u64) {
    drop(no);
}

#[cache_put(NUMBERS, key = no, deadline = "2s", unles = |n| *n == 0, all)]
async fn words(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_put(NUMBERS, key = || no, ttl = |a, b| a)]
async fn arguments(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

struct Shop;

impl Shop {
    #[cache_put(NUMBERS)]
    async fn of_self(&self, no: u64) -> Result<u64, LoadError> {
        Ok(no)
    }
}

fn main() {}
