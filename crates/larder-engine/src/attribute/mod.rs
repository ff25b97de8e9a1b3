//! What the attributes expand to.

mod detach;
mod fail;
mod made;
mod succeeded;

use std::future::Future;

pub use larder_core::{Key, KeyError, KeyReader, KeyWriter, LoadError, Lookup};

pub use detach::{DetachArg, DetachSelf, Detached, DetachedSelf, detach, detach_self};
pub use fail::{
    Fail, FailByClone, FailByFrom, FailByPanic, Fallible, FromLoad, MapByCall, MapByClone,
    needs_result,
};
pub use made::{NoResult, Probe, answer_type, made};
pub use succeeded::{Answered, AnySucceeded, ResultSucceeded};

pub use crate::answer::Answer;
pub use crate::cache::Cache;
pub use crate::lifetime::Terms;
use crate::load::Ask;

/// The answer that the near tier holds, if the function can return it.
#[inline]
pub fn hit<K, V, Q, R, M>(cache: &Cache<K, V>, key: &Q) -> Option<R>
where
    K: Key,
    V: Send + Sync + 'static,
    Q: Lookup<K> + ?Sized,
    R: Answer<V, M>,
{
    let wanted = |value: &Option<_>| R::ABSENCE || value.is_some();
    cache.0.hit(key, wanted).and_then(R::answer)
}

/// The owned key.
pub fn owned<K, V, Q>(_cache: &Cache<K, V>, key: &Q) -> K
where
    Q: Lookup<K> + ?Sized,
{
    key.to_key()
}

/// The answer by a load, joined or led.
///
/// A function that cannot say an error runs past the cache where no load may start, and panics
/// with the load's error otherwise; that is `fail`'s to do.
pub async fn load<K, V, R, M, B, F>(
    cache: Cache<K, V>,
    key: K,
    terms: Terms,
    body: B,
    fail: impl FnOnce(LoadError) -> R,
) -> R
where
    K: Key,
    V: Send + Sync + 'static,
    R: Answer<V, M>,
    B: FnOnce() -> F + Send + 'static,
    F: Future<Output = R> + Send + 'static,
{
    let bypass = !R::FALLIBLE;
    match cache.0.miss(key, Ask { terms, bypass }, body).await {
        Ok((value, _)) => {
            R::answer(value).expect("absence was asked for only where it can be said")
        }
        Err(error) => fail(error),
    }
}

/// Invalidates what `key` finds.
pub async fn evict<K, V, Q>(cache: &Cache<K, V>, key: &Q)
where
    K: Key,
    V: Send + Sync + 'static,
    Q: Lookup<K> + ?Sized,
{
    cache.invalidate(key).await;
}

/// Invalidates everything.
pub async fn evict_all<K, V>(cache: &Cache<K, V>)
where
    K: Key,
    V: Send + Sync + 'static,
{
    cache.clear().await;
}
