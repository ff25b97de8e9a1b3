//! Times that say nothing without another one, and parts that are none.

use larder::{Cache, LoadError, cacheable};
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cacheable(stale = "1h", refresh = 0.8, idle = "5m", soft = "1s")]
async fn no_end(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(ttl = "5m", soft = "1s")]
async fn nothing_old(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, jitter = 1.5, refresh = 0.0)]
async fn parts(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, jitter = "10%", refresh = 80)]
async fn no_parts(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, load = hand_over, refresh = xfetch, soft = "1s")]
async fn in_the_call(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, refresh = xfetch)]
fn in_the_thread(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, max_age = |_| SECOND, stale = |a, b| SECOND)]
async fn closures(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(ttl = "5m", stale = "1h", soft = "2s", deadline = "2s")]
async fn too_late(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(ttl = "5m", stale = "1h", soft = "1m")]
async fn later_than_unsaid(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

fn main() {}
