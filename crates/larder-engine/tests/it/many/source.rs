//! A source of several keys.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use larder_core::{LoadError, LoadErrorKind};
use larder_engine::Cache;
use larder_kit::Gate;

use crate::support::Numbers;

/// Gives `key * 1000 + version` for each key, and no value for keys from 900 on; notes what it is
/// called for.
#[derive(Clone)]
pub(crate) struct Many {
    version: Arc<AtomicU64>,
    calls: Arc<Mutex<Vec<Vec<u64>>>>,
    pub(crate) gate: Gate,
}

pub(crate) type Answers = Vec<Result<Option<u64>, LoadErrorKind>>;

impl Many {
    pub(crate) fn ready() -> Self {
        Self::at(Gate::opened())
    }

    pub(crate) fn held() -> Self {
        Self::at(Gate::closed())
    }

    fn at(gate: Gate) -> Self {
        Self {
            version: Arc::default(),
            calls: Arc::default(),
            gate,
        }
    }

    pub(crate) fn change(&self) -> u64 {
        self.version.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// The keys that it was called for, call by call.
    pub(crate) fn calls(&self) -> Vec<Vec<u64>> {
        self.calls.lock().unwrap().clone()
    }

    /// Reads the version now, and gives it when the gate is open.
    pub(crate) fn read(
        &self,
        keys: Vec<u64>,
    ) -> impl Future<Output = Vec<(u64, u64)>> + Send + use<> {
        let source = self.clone();
        async move {
            source.calls.lock().unwrap().push(keys.clone());
            let version = source.version.load(Ordering::SeqCst);
            source.gate.wait().await;
            let known = keys.into_iter().filter(|key| *key < 900);
            known.map(|key| (key, key * 1000 + version)).collect()
        }
    }

    /// A call of `keys` at `cache` that loads from here.
    pub(crate) fn fetch(
        &self,
        cache: &Numbers,
        keys: &[u64],
    ) -> impl Future<Output = Answers> + Send + use<> {
        let (cache, source, keys) = (cache.clone(), self.clone(), keys.to_vec());
        async move {
            let load = move |keys| source.read(keys);
            plain(cache.get_or_load_many(&keys, load).await)
        }
    }

    /// A call of one key, that loads from here.
    pub(crate) fn single(
        &self,
        cache: &Numbers,
        key: u64,
    ) -> impl Future<Output = Result<u64, LoadError>> + Send + use<> {
        let (cache, source) = (cache.clone(), self.clone());
        async move {
            let load = move || async move { source.read(vec![key]).await[0].1 };
            cache.get_or_load(&key, load).await
        }
    }
}

/// Answers that can be compared.
pub(crate) fn plain(answers: Vec<Result<Option<Arc<u64>>, LoadError>>) -> Answers {
    let answers = answers.into_iter();
    let plain = answers.map(|answer| match answer {
        Ok(value) => Ok(value.map(|value| *value)),
        Err(error) => Err(error.kind()),
    });
    plain.collect()
}

/// What is held of `keys`.
pub(crate) async fn held(cache: &Cache<u64, u64>, keys: &[u64]) -> Vec<Option<u64>> {
    let got = cache.get_many(keys).await.into_iter();
    got.map(|got| got.value().map(|value| *value)).collect()
}
