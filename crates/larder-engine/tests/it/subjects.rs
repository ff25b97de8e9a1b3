//! What the checker is pointed at: the cache, and two that are broken so that it must find them.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Mutex;

use larder_engine::Cache;

use crate::history::Subject;

impl Subject for Cache<u64, u64> {
    async fn read<F>(&self, key: u64, load: F) -> Option<u64>
    where
        F: Future<Output = u64> + Send + 'static,
    {
        self.get_or_load(&key, || load).await.ok()
    }

    async fn announce(&self, key: u64, version: u64, how: u64) {
        let _ = match how % 8 {
            0..2 => self.put(&key, version).await,
            2 => self.clear().await,
            _ => self.invalidate(&key).await,
        };
    }
}

/// Look, load, keep: as it is written by hand everywhere. An old load overwrites an invalidation.
#[derive(Default)]
pub(crate) struct ByHand(Mutex<HashMap<u64, u64>>);

impl ByHand {
    fn held(&self, key: u64) -> Option<u64> {
        self.0.lock().unwrap().get(&key).copied()
    }
}

impl Subject for ByHand {
    async fn read<F>(&self, key: u64, load: F) -> Option<u64>
    where
        F: Future<Output = u64> + Send + 'static,
    {
        if let Some(held) = self.held(key) {
            return Some(held);
        }
        let version = load.await;
        self.0.lock().unwrap().insert(key, version);
        Some(version)
    }

    async fn announce(&self, key: u64, version: u64, how: u64) {
        let mut map = self.0.lock().unwrap();
        match how % 8 {
            0..2 => drop(map.insert(key, version)),
            2 => map.clear(),
            _ => drop(map.remove(&key)),
        }
    }
}

/// The cache, whose writers forget one key.
pub(crate) struct Forgetful(pub(crate) Cache<u64, u64>);

impl Subject for Forgetful {
    async fn read<F>(&self, key: u64, load: F) -> Option<u64>
    where
        F: Future<Output = u64> + Send + 'static,
    {
        self.0.read(key, load).await
    }

    async fn announce(&self, key: u64, version: u64, how: u64) {
        if key != 0 && how % 8 != 2 {
            self.0.announce(key, version, how).await;
        }
    }
}
