//! What a function evicts.

use std::fmt;
use std::future::poll_fn;
use std::task::Poll;

use larder_core::{BoxFuture, Key, Lookup};

use crate::cache::Cache;
use crate::far::Change;

/// An eviction that waits for its function.
pub struct Evicting<K, V> {
    cache: Cache<K, V>,
    key: Option<K>,
    tags: Vec<String>,
    all: bool,
    expire: bool,
}

impl<K, V> Evicting<K, V> {
    /// Of nothing yet.
    pub fn new(cache: &Cache<K, V>) -> Self {
        Self {
            cache: cache.clone(),
            key: None,
            tags: Vec::new(),
            all: false,
            expire: false,
        }
    }

    /// An entry too.
    #[must_use]
    pub fn key<Q: Lookup<K> + ?Sized>(self, key: &Q) -> Self {
        self.named(key.to_key())
    }

    /// The entry of an owned key too.
    #[must_use]
    pub fn named(mut self, key: K) -> Self {
        self.key = Some(key);
        self
    }

    /// Every entry with one of these tags too.
    #[must_use]
    pub fn tags(mut self, tags: Vec<String>) -> Self {
        self.tags = tags;
        self
    }

    /// The entry's value is kept for fallbacks.
    #[must_use]
    pub fn expire(mut self) -> Self {
        self.expire = true;
        self
    }

    /// Every entry.
    #[must_use]
    pub fn all(mut self) -> Self {
        self.all = true;
        self
    }
}

impl<K: Key, V: Send + Sync + 'static> Evicting<K, V> {
    /// Invalidates all that was named; each change has begun at the first poll, so it runs to its
    /// end even if the caller leaves.
    pub async fn evict(self) {
        let Self {
            cache,
            key,
            tags,
            all,
            expire,
        } = &self;
        let mut changes: Vec<BoxFuture<'_, Change>> = Vec::new();
        if *all {
            changes.push(Box::pin(cache.clear()));
        }
        if let Some(key) = key {
            changes.push(match expire {
                true => Box::pin(cache.expire(key)),
                false => Box::pin(cache.invalidate(key)),
            });
        }
        for tag in tags {
            changes.push(Box::pin(cache.invalidate_tag(tag)));
        }
        poll_fn(|cx| {
            changes.retain_mut(|change| change.as_mut().poll(cx).is_pending());
            if changes.is_empty() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

impl<K, V> fmt::Debug for Evicting<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Evicting")
    }
}
