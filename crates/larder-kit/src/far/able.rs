//! A store with the abilities that a test wants.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use larder_core::far::Abilities;
use larder_core::{Address, Fetched, Removed, Store, Ttl};

/// A store that shows the abilities it was given, whatever the store underneath can do: a far tier
/// of [`FailingFar`](crate::FailingFar), [`SlowFar`](crate::SlowFar) and
/// [`WildBus`](crate::WildBus), or one that lacks something.
pub struct Able<S> {
    store: S,
    abilities: Abilities,
}

impl<S: Store> Able<S> {
    /// `store` with these abilities and no others.
    #[must_use]
    pub const fn new(store: S, abilities: Abilities) -> Self {
        Self { store, abilities }
    }
}

impl<S: Store> Store for Able<S> {
    type Error = S::Error;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, Self::Error> {
        self.store.get(address).await
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), Self::Error> {
        self.store.put(address, bytes, ttl).await
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, Self::Error> {
        self.store.remove(address).await
    }

    async fn get_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Fetched>, Self::Error> {
        self.store.get_many(addresses).await
    }

    async fn remove_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Removed>, Self::Error> {
        self.store.remove_many(addresses).await
    }

    fn abilities(self: &Arc<Self>) -> Abilities {
        self.abilities.clone()
    }
}

impl<S> fmt::Debug for Able<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Able");
        out.field("abilities", &self.abilities)
            .finish_non_exhaustive()
    }
}
