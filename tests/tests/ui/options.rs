//! Wrong options, all shown together; the function stays callable.

use larder::{Cache, LoadError, cacheable};
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cacheable(NUMBERS, tll = "5m", key = no, key = no, no + 1, deadlin, all)]
async fn names(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, ttl, key, skip)]
async fn no_values(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, name = "numbers", capacity = 7)]
async fn of_the_builder(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(name = "", capacity = 0)]
async fn of_no_use(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(schema = 7)]
async fn no_codec(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(codec = larder::Json)]
async fn no_end(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS, codec = larder::Json, schema = 7)]
async fn coded_elsewhere(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS ttl = "5m")]
async fn no_comma(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

async fn callers_do_not_fail_too() -> Result<u64, LoadError> {
    names(5).await
}

fn main() {}
