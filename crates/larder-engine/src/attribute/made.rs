//! Caches that an attribute makes.

use std::marker::PhantomData;

use larder_core::Key;

use crate::cache::{Cache, CacheBuilder};

/// Builds the cache of a function; `stale` where what it loads may be served after its end.
///
/// # Panics
/// The name is taken, or a setting is out of its range.
pub fn made<K, V>(
    name: impl Into<String>,
    stale: bool,
    set: impl FnOnce(CacheBuilder<K, V>) -> CacheBuilder<K, V>,
) -> Cache<K, V>
where
    K: Key,
    V: Send + Sync + 'static,
{
    match set(Cache::builder(name).falls_back(stale)).build() {
        Ok(cache) => cache,
        Err(error) => panic!("{error}"),
    }
}

/// Tells whether `V` is a `Result`, in a constant: `Probe::<V>::RESULT` is the inherent constant
/// where there is one, else that of [`NoResult`].
#[derive(Debug)]
pub struct Probe<V>(PhantomData<V>);

impl<T, E> Probe<Result<T, E>> {
    /// It is.
    pub const RESULT: bool = true;
}

/// Any other type.
pub trait NoResult {
    /// It is not.
    const RESULT: bool = false;
}

impl<V> NoResult for Probe<V> {}

/// Says the type of an answer, where nothing runs.
///
/// # Panics
/// Always.
pub fn answer_type<R>() -> R {
    unreachable!("the attributes only type-check this call")
}
