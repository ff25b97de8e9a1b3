//! Errors that callers cannot share, and options that need one.

use larder::{Cache, LoadError, cacheable};
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[derive(Debug, Clone, thiserror::Error)]
#[error("the database is away")]
struct Db;

#[cacheable(NUMBERS)]
async fn no_from(no: u64) -> Result<u64, Db> {
    Ok(no)
}

#[derive(Clone)]
struct Silent;

impl From<LoadError> for Silent {
    fn from(_: LoadError) -> Self {
        Self
    }
}

#[cacheable(NUMBERS)]
async fn no_text(no: u64) -> Result<u64, Silent> {
    Ok(no)
}

#[cacheable(NUMBERS, deadline = "2s")]
async fn deadline(no: u64) -> Option<u64> {
    Some(no)
}

#[cacheable(NUMBERS, map_error = |error| Db)]
async fn map_error(no: u64) -> u64 {
    no
}

#[cacheable(NUMBERS, map_error = |error| error.to_string())]
async fn map_to_other(no: u64) -> Result<u64, Db> {
    Ok(no)
}

fn main() {}
