//! Options of the wrong type, reported at what the user wrote.

use larder::{Cache, LoadError, cache_evict, cache_put, cacheable};
use std::sync::LazyLock;

struct NoText;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cacheable(NUMBERS, condition = no, unless = |found| *found, ttl = |found| *found)]
async fn conditions(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, tags = [no, NoText])]
async fn tags(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_put(NUMBERS, key = |saved| saved.to_string(), tags = |saved| *saved)]
async fn put(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_put(NUMBERS, key = no)]
async fn put_text(no: u64) -> Result<String, LoadError> {
    Ok(no.to_string())
}

#[cache_evict(NUMBERS, key = |saved| saved.to_string())]
async fn evict(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

fn main() {}
