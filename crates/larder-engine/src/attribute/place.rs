//! The entry that a call is about.
//!
//! Methods, because they know the cache's types before they look at the function's; so a wrong
//! return type is told apart from a wrong cache.

use std::fmt;
use std::future::Future;

use larder_core::{BoxFuture, Key, LoadError, Lookup};

use crate::answer::Answer;
use crate::cache::Cache;
use crate::lifetime::{After, Terms};
use crate::load::Ask;

/// A cache that is asked by a function.
#[expect(clippy::exhaustive_structs, reason = "built by the attributes")]
pub struct Asked<'a, K, V>(pub &'a Cache<K, V>);

impl<K, V> Asked<'_, K, V> {
    /// The answer that the near tier holds, if the function can return it; else the place to load.
    ///
    /// # Errors
    /// No error: it has to be loaded.
    #[inline]
    pub fn hit<R, M, Q>(self, key: &Q) -> Result<R, Place<K, V>>
    where
        K: Key,
        V: Send + Sync + 'static,
        R: Answer<V, M>,
        Q: Lookup<K> + ?Sized,
    {
        let wanted = |value: &Option<_>| R::ABSENCE || value.is_some();
        let value = self.0.0.hit(key, wanted);
        value.and_then(R::answer).ok_or_else(|| self.place(key))
    }

    /// The place of `key`.
    pub fn place<Q: Lookup<K> + ?Sized>(self, key: &Q) -> Place<K, V> {
        Place {
            cache: self.0.clone(),
            key: key.to_key(),
        }
    }
}

impl<K, V> fmt::Debug for Asked<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asked")
    }
}

/// An entry's place: cache and owned key, which outlive the arguments of the call.
pub struct Place<K, V> {
    cache: Cache<K, V>,
    key: K,
}

impl<K, V> Place<K, V> {
    /// The answer by a load, joined or led. A function that cannot say an error runs past the
    /// cache where no load may start.
    ///
    /// The future is the one allocation of the caller's side, so that the way of a hit stays small.
    pub fn load<R, M, B, F>(self, terms: Terms, body: B) -> BoxFuture<'static, Result<R, LoadError>>
    where
        K: Key,
        V: Send + Sync + 'static,
        R: Answer<V, M> + Send + 'static,
        M: 'static,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        Box::pin(async move {
            let bypass = !R::FALLIBLE;
            let ask = Ask { terms, bypass };
            let (value, _) = self
                .cache
                .0
                .miss(self.key, ask, body, |_| After::default())
                .await?;
            Ok(R::answer(value).expect("absence was asked for only where it can be said"))
        })
    }

    /// Invalidates the entry.
    pub async fn evict(&self)
    where
        K: Key,
        V: Send + Sync + 'static,
    {
        let _ = self.cache.invalidate(&self.key).await;
    }
}

impl<K, V> fmt::Debug for Place<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}
