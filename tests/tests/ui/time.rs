//! Expressions see the arguments, closures see the loaded value: the wrong form of each option.

use larder::{Cache, LoadError, cache_evict, cache_put, cacheable};
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cacheable(
    NUMBERS,
    key = |found| *found,
    absent_ttl = |found| std::time::Duration::from_secs(*found),
    deadline = |found| std::time::Duration::from_secs(*found),
    condition = |found| *found > 1,
    unless = no > 1,
    tags = no,
    load = cancle,
)]
async fn lookup(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_put(NUMBERS, key = |saved| *saved, condition = |saved| *saved > 1, tags = "all", unless = true)]
async fn put(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_evict(NUMBERS, key = |saved| *saved, before)]
async fn evict_before(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_evict(NUMBERS, tags = |saved| [saved], condition = |saved| true)]
async fn evict_tags(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_evict(NUMBERS, all, tags = [no])]
async fn evict_all(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cache_evict(NUMBERS, key = |saved| *saved)]
async fn evict_unnamed(no: u64) -> impl Into<u64> {
    no
}

struct Shop(Cache<u64, u64>);

impl Shop {
    #[cacheable(self.0, tags = |found| [format!("{self:p} {found}")])]
    async fn format(&self, no: u64) -> Result<u64, LoadError> {
        Ok(no)
    }
}

fn main() {}
