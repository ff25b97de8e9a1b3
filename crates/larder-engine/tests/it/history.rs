//! The checker: no read gives a version older than one that was announced before the read began.

use std::future::Future;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What stands between readers and the source.
pub(crate) trait Subject: Send + Sync {
    /// The version of `key`, by `load` if there is none; `None` if there is no answer.
    fn read<F>(&self, key: u64, load: F) -> impl Future<Output = Option<u64>> + Send
    where
        F: Future<Output = u64> + Send + 'static;

    /// Says that `version` of `key` is at the source.
    fn announce(&self, key: u64, version: u64, how: u64) -> impl Future<Output = ()> + Send;
}

/// The source, and what its writers have announced. Each key has one writer, for two that put race
/// each other.
pub(crate) struct History {
    keys: Vec<Key>,
    broken: Mutex<Vec<String>>,
}

#[derive(Default)]
struct Key {
    version: AtomicU64,
    announced: AtomicU64,
}

impl History {
    pub(crate) fn new(keys: u64) -> Self {
        Self {
            keys: (0..keys).map(|_| Key::default()).collect(),
            broken: Mutex::default(),
        }
    }

    pub(crate) fn source(&self, key: u64) -> u64 {
        self.keys[key as usize].version.load(Ordering::SeqCst)
    }

    pub(crate) async fn write(&self, subject: &impl Subject, key: u64, how: u64) {
        let announce = |version| subject.announce(key, version, how);
        self.write_by(key, announce).await;
    }

    /// A write that is announced by what it is given.
    pub(crate) async fn write_by<F>(&self, key: u64, announce: impl FnOnce(u64) -> F)
    where
        F: Future<Output = ()>,
    {
        let of = &self.keys[key as usize];
        let version = of.version.fetch_add(1, Ordering::SeqCst) + 1;
        announce(version).await;
        of.announced.fetch_max(version, Ordering::SeqCst);
    }

    pub(crate) async fn read<F>(&self, subject: &impl Subject, key: u64, load: F)
    where
        F: Future<Output = u64> + Send + 'static,
    {
        let read = async { vec![subject.read(key, load).await] };
        self.read_each(&[key], read).await;
    }

    /// Checks what `read` gives for each of `keys`.
    pub(crate) async fn read_each(
        &self,
        keys: &[u64],
        read: impl Future<Output = Vec<Option<u64>>>,
    ) {
        let announced = |key: &u64| self.keys[*key as usize].announced.load(Ordering::SeqCst);
        let least: Vec<_> = keys.iter().map(announced).collect();
        let seen = read.await;
        for ((key, least), seen) in keys.iter().zip(least).zip(seen) {
            let most = self.source(*key);
            if seen.is_some_and(|seen| !(least..=most).contains(&seen)) {
                let text = format!("key {key}: {seen:?} is not in {least}..={most}");
                self.broken.lock().unwrap().push(text);
            }
        }
    }

    /// What readers saw and should not have seen.
    pub(crate) fn broken(&self) -> Vec<String> {
        self.broken.lock().unwrap().clone()
    }
}
