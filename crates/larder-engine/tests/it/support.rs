//! What the tests share: a source with versions, and caches on virtual time.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use futures_lite::future::poll_once;
use larder_core::LoadError;
use larder_engine::{Cache, CacheBuilder, Fetched, Larder};
use larder_kit::{Gate, Virtual};

pub(crate) type Numbers = Cache<u64, u64>;

pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const TTL: Duration = Duration::from_secs(300);
pub(crate) const INSTANT: Duration = Duration::from_nanos(1);

pub(crate) fn larder(time: &Virtual) -> Larder {
    let larder = Larder::builder().runtime(time.clone()).build();
    larder.expect("the defaults are in range")
}

pub(crate) fn numbers(time: &Virtual) -> CacheBuilder<u64, u64> {
    larder(time).cache("numbers").ttl(TTL)
}

/// A source whose loads read its version at once and then wait at a gate.
#[derive(Clone)]
pub(crate) struct Source {
    version: Arc<AtomicU64>,
    calls: Arc<AtomicUsize>,
    pub(crate) gate: Gate,
}

impl Source {
    pub(crate) fn ready() -> Self {
        Self::at(Gate::opened())
    }

    pub(crate) fn held() -> Self {
        Self::at(Gate::closed())
    }

    fn at(gate: Gate) -> Self {
        let (version, calls) = (Arc::new(AtomicU64::new(1)), Arc::default());
        Self {
            version,
            calls,
            gate,
        }
    }

    /// Moves on to the next version, and gives it.
    pub(crate) fn change(&self) -> u64 {
        self.version.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Reads the version now, and gives it when the gate is open.
    pub(crate) fn read(&self) -> impl Future<Output = u64> + Send + use<> {
        let source = self.clone();
        async move {
            source.calls.fetch_add(1, Ordering::SeqCst);
            let version = source.version.load(Ordering::SeqCst);
            source.gate.wait().await;
            version
        }
    }

    /// A call of `key` at `cache` that loads from here.
    pub(crate) fn fetch(
        &self,
        cache: &Numbers,
        key: u64,
    ) -> impl Future<Output = Result<Fetched<u64>, LoadError>> + Send + use<> {
        let (cache, source) = (cache.clone(), self.clone());
        async move { cache.fetch(&key, move || source.read()).await }
    }
}

/// A load that panics.
pub(crate) async fn panicking() -> u64 {
    panic!("on purpose")
}

/// Polls a future that is not ready yet once, so that a call has begun and nothing else has run.
pub(crate) fn begin<T>(time: &Virtual, call: impl Future<Output = T> + Unpin) {
    assert!(time.block_on(poll_once(call)).is_none(), "the call waits");
}

/// A key whose invalidation does not touch `key`, which it might by sharing its slot.
pub(crate) async fn stranger(cache: &Numbers, key: u64) -> u64 {
    for other in key + 1..key + 100 {
        cache.put(&key, 0).await;
        cache.invalidate(&other).await;
        if cache.get(&key).await.value().is_some() {
            cache.invalidate(&key).await;
            return other;
        }
    }
    panic!("no key has another slot");
}
