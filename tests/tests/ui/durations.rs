//! Durations that say no time.

use larder::{Cache, LoadError, cacheable};
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cacheable(NUMBERS, ttl = "300", absent_ttl = 300, deadline = "0s")]
async fn bare(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, ttl = "5w", absent_ttl = "30m1h", deadline = "999999999999999999d")]
async fn units(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, ttl = "5ms", absent_ttl = "", deadline = "five minutes")]
async fn no_numbers(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, ttl = no * 60)]
async fn no_duration(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

fn main() {}
