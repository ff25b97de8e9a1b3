#![allow(unused_variables)]
use futures_lite::{Stream, stream};
use larder::{Cache, LoadError, cache_evict, cache_put, cacheable};

type Lists = Cache<u64, Vec<u64>>;
type Answer<T> = Result<T, LoadError>;

#[cacheable(cache, key = no, load = hand_over)]
fn handed(cache: &Lists, no: u64) -> impl Stream<Item = Result<u64, LoadError>> {
    stream::once(Ok(no))
}

#[cacheable(cache, key = no, unless = |all| all.is_empty(), absent_ttl = "1s", stale = "1m", soft = "1s")]
fn judged(cache: &Lists, no: u64) -> impl Stream<Item = Result<u64, LoadError>> {
    stream::once(Ok(no))
}

#[cacheable]
fn hidden(no: u64) -> impl Stream<Item = Answer<u64>> {
    stream::once(Ok(no))
}

#[cacheable]
async fn late(no: u64) -> impl Stream<Item = Result<u64, LoadError>> {
    stream::once(Ok(no))
}

#[cacheable]
fn unsaid(no: u64) -> impl Stream {
    stream::once(no)
}

#[cache_put(cache, key = no)]
fn put(cache: &Lists, no: u64) -> impl Stream<Item = Result<u64, LoadError>> {
    stream::once(Ok(no))
}

#[cache_evict(cache, key = no)]
fn evicted(cache: &Lists, no: u64) -> impl Stream<Item = Result<u64, LoadError>> {
    stream::once(Ok(no))
}

fn main() {}
