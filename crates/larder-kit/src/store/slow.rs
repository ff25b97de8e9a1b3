//! A store that lets its callers wait.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_core::{Address, Fetched, Removed, Runtime, Store, Ttl};

use crate::Gate;

/// A store that lets its callers wait before each operation; clones are the same store.
///
/// A caller that leaves while it waits has changed nothing.
///
/// It shows none of the abilities of the store underneath, which would go past it.
#[derive(Clone)]
pub struct SlowStore<S> {
    store: Arc<S>,
    wait: Wait,
}

#[derive(Clone)]
enum Wait {
    At(Gate),
    For(Arc<dyn Runtime>, Duration),
}

impl<S: Store> SlowStore<S> {
    /// Each operation begins when `gate` is open.
    #[must_use]
    pub fn at(gate: &Gate, store: S) -> Self {
        Self {
            store: Arc::new(store),
            wait: Wait::At(gate.clone()),
        }
    }

    /// Each operation begins after `delay`, by the time of `runtime`.
    #[must_use]
    pub fn after(delay: Duration, runtime: Arc<dyn Runtime>, store: S) -> Self {
        Self {
            store: Arc::new(store),
            wait: Wait::For(runtime, delay),
        }
    }

    async fn ready(&self) -> &S {
        match &self.wait {
            Wait::At(gate) => gate.wait().await,
            Wait::For(runtime, delay) => runtime.sleep(*delay).await,
        }
        &self.store
    }
}

impl<S: Store> Store for SlowStore<S> {
    type Error = S::Error;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, Self::Error> {
        self.ready().await.get(address).await
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), Self::Error> {
        self.ready().await.put(address, bytes, ttl).await
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, Self::Error> {
        self.ready().await.remove(address).await
    }

    async fn get_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Fetched>, Self::Error> {
        self.ready().await.get_many(addresses).await
    }

    async fn remove_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Removed>, Self::Error> {
        self.ready().await.remove_many(addresses).await
    }
}

impl<S> fmt::Debug for SlowStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlowStore").finish_non_exhaustive()
    }
}
