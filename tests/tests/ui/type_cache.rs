//! Caches that are none, and bodies that do not fit.

use larder::{Cache, LoadError, cacheable};
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());
static NO_CACHE: u32 = 5;

#[cacheable(NO_CACHE)]
async fn no_cache(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS)]
async fn body(no: u64) -> Result<u64, LoadError> {
    Ok(no.to_string())
}

#[cacheable(capacity = "many")]
async fn capacity(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

fn main() {}
