//! Times of absence on functions that cannot say it.

use larder::{Cache, LoadError, cacheable};

#[cacheable(cache, key = no, absent_ttl = "5s")]
async fn plain(cache: &Cache<u64, u64>, no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

type Answer = Result<Option<u64>, LoadError>;

#[cacheable(cache, key = no, absent_ttl = "5s")]
async fn alias(cache: &Cache<u64, u64>, no: u64) -> Answer {
    Ok(Some(no))
}

fn main() {}
