//! Answers that the cache does not hold.

use larder::{Cache, LoadError, cacheable};
use std::sync::{Arc, LazyLock};

struct Deal;

static DEALS: LazyLock<Cache<u64, Deal>> =
    LazyLock::new(|| Cache::builder("deals").build().unwrap());

#[cacheable(DEALS)]
async fn other(no: u64) -> Result<String, LoadError> {
    Ok(no.to_string())
}

#[cacheable(DEALS)]
async fn shared(no: u64) -> Arc<String> {
    Arc::new(no.to_string())
}

#[cacheable(DEALS)]
async fn not_clone(no: u64) -> Result<Deal, LoadError> {
    drop(no);
    Ok(Deal)
}

type Answer = Result<u64, LoadError>;

#[cacheable]
async fn alias(no: u64) -> Answer {
    Ok(no)
}

fn main() {}
