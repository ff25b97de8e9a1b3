//! The caches that a workload is replayed through.

use std::cell::Cell;
use std::time::Duration;

use cached::{Cached as _, LruCache};
use larder::{Cache, Larder};

/// A cache of some size, in the form of how often it calls the source.
pub(super) struct Policy {
    pub(super) name: &'static str,
    /// Replays requests through an empty cache of so many entries.
    pub(super) replay: fn(&[u64], usize) -> anyhow::Result<usize>,
}

/// Ours and its peers.
pub(super) const POLICIES: [Policy; 4] = [
    Policy {
        name: "larder",
        replay: larder,
    },
    Policy {
        name: "quick_cache",
        replay: quick_cache,
    },
    Policy {
        name: "moka",
        replay: moka,
    },
    Policy {
        name: "LRU",
        replay: lru,
    },
];

/// The place of ours.
pub(super) const LARDER: usize = 0;

/// As a service has it: through `get_or_load`, tickets and all.
fn larder(keys: &[u64], capacity: usize) -> anyhow::Result<usize> {
    // Longer than any run.
    const TTL: Duration = Duration::from_secs(3_600);
    let larder = Larder::builder().build()?;
    let cache: Cache<u64, u64> = larder.cache("trace").ttl(TTL).capacity(capacity).build()?;
    let calls = Cell::new(0);
    smol::block_on(async {
        for key in keys {
            let load = || async {
                calls.set(calls.get() + 1);
                *key
            };
            cache.get_or_load_scoped(key, load).await?;
        }
        Ok(calls.get())
    })
}

fn quick_cache(keys: &[u64], capacity: usize) -> anyhow::Result<usize> {
    let cache = quick_cache::sync::Cache::new(capacity);
    let misses = keys.iter().filter(|&&key| {
        let missed = cache.get(&key).is_none();
        if missed {
            cache.insert(key, key);
        }
        missed
    });
    Ok(misses.count())
}

fn moka(keys: &[u64], capacity: usize) -> anyhow::Result<usize> {
    let cache = moka::future::Cache::new(capacity as u64);
    Ok(smol::block_on(async {
        let mut calls = 0;
        for &key in keys {
            if cache.get(&key).await.is_none() {
                cache.insert(key, key).await;
                calls += 1;
            }
        }
        calls
    }))
}

fn lru(keys: &[u64], capacity: usize) -> anyhow::Result<usize> {
    let mut cache = LruCache::new(capacity);
    let misses = keys.iter().filter(|&&key| {
        let missed = cache.cache_get(&key).is_none();
        if missed {
            cache.cache_set(key, key);
        }
        missed
    });
    Ok(misses.count())
}
