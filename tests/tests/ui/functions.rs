//! Functions that no attribute can work with.

use larder::{Cache, LoadError, cacheable};
use std::future::Future;
use std::pin::Pin;
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cacheable(NUMBERS, load = detach)]
fn blocking(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(NUMBERS)]
fn boxed(no: u64) -> Pin<Box<dyn Future<Output = Result<u64, LoadError>> + Send>> {
    Box::pin(async move { Ok(no) })
}

#[cacheable(NUMBERS, key = *no)]
async fn patterns((no, _): &(u64, u64)) -> Result<u64, LoadError> {
    Ok(*no)
}

#[cacheable(NUMBERS)]
async fn no_answer(no: u64) {
    drop(no);
}

#[cacheable(NUMBERS)]
async fn unnamed_answer(no: u64) -> impl Into<u64> {
    no
}

#[cacheable]
async fn generic<T: Copy>(no: T) -> Result<T, LoadError> {
    Ok(no)
}

#[cacheable]
async fn generic_by_impl(no: impl Into<u64>) -> Result<u64, LoadError> {
    Ok(no.into())
}

trait Source {
    #[cacheable(NUMBERS)]
    async fn no_body(no: u64) -> Result<u64, LoadError>;
}

#[cacheable(NUMBERS)]
struct NoFunction;

fn main() {}
