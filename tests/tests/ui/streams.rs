use larder::{Cache, LoadError, cache_evict, cache_put, cacheable};

type Lists = Cache<u64, Vec<u64>>;

trait Stream {
    type Item;
}

#[cacheable(cache, key = no, load = hand_over)]
fn handed(cache: &Lists, no: u64) -> impl Stream<Item = Result<u64, LoadError>> {}

#[cacheable(cache, key = no, unless = |all| all.is_empty(), absent_ttl = "1s", stale = "1m", soft = "1s")]
fn judged(cache: &Lists, no: u64) -> impl Stream<Item = Result<u64, LoadError>> {}

#[cacheable]
fn hidden(no: u64) -> impl Stream<Item = Answer<u64>> {}

#[cacheable]
async fn late(no: u64) -> impl Stream<Item = Result<u64, LoadError>> {}

#[cacheable]
fn unsaid(no: u64) -> impl Stream {}

#[cache_put(cache, key = no)]
fn put(cache: &Lists, no: u64) -> impl Stream<Item = Result<u64, LoadError>> {}

#[cache_evict(cache, key = no)]
fn evicted(cache: &Lists, no: u64) -> impl Stream<Item = Result<u64, LoadError>> {}

fn main() {}
