//! Keys that cannot be made of what was written.

use larder::{Cache, LoadError, cacheable};
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cacheable(NUMBERS, skip(region, regoin, region))]
async fn skipped(no: u64, region: &str) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, key = no, skip(region))]
async fn both(no: u64, region: &str) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, key = |value| *value)]
async fn closure(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, skip(self))]
async fn no_self(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable]
async fn unseen(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(key = no + 1)]
async fn computed(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

fn main() {}
