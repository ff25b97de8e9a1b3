//! Keys of another type than the cache's.

use larder::{Cache, LoadError, cache_evict, cacheable};
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cacheable(NUMBERS)]
async fn narrow(no: u32) -> Result<u64, LoadError> {
    Ok(no.into())
}

#[cacheable(NUMBERS)]
async fn several(no: u64, region: &str) -> Result<u64, LoadError> {
    Ok(no + region.len() as u64)
}

#[cache_evict(NUMBERS, key = title)]
async fn text(title: String) -> Result<u64, LoadError> {
    Ok(title.len() as u64)
}

#[cacheable]
async fn float(price: f64) -> Result<u64, LoadError> {
    Ok(price as u64)
}

fn main() {}
