//! The store whose type is chosen at run time.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::far::Abilities;
use crate::{Address, BoxFuture, Fetched, Removed, Store, Ttl};

/// The object-safe twin of [`Store`]: every store has it, nobody writes it.
///
/// Its methods have names of their own, so that both traits can be in scope. Each call boxes its
/// future. Use it through [`AnyStore`].
pub trait DynStore: Send + Sync + 'static {
    /// As [`Store::get`].
    ///
    /// # Errors
    /// As there, with the error's type erased.
    fn dyn_get<'a>(&'a self, address: Address<'a>) -> BoxFuture<'a, Result<Fetched, StoreError>>;

    /// As [`Store::put`].
    ///
    /// # Errors
    /// As there, with the error's type erased.
    fn dyn_put<'a>(
        &'a self,
        address: Address<'a>,
        bytes: Bytes,
        ttl: Ttl,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// As [`Store::remove`].
    ///
    /// # Errors
    /// As there, with the error's type erased.
    fn dyn_remove<'a>(&'a self, address: Address<'a>)
    -> BoxFuture<'a, Result<Removed, StoreError>>;

    /// As [`Store::get_many`].
    ///
    /// # Errors
    /// As there, with the error's type erased.
    fn dyn_get_many<'a>(
        &'a self,
        addresses: &'a [Address<'a>],
    ) -> BoxFuture<'a, Result<Vec<Fetched>, StoreError>>;

    /// As [`Store::remove_many`].
    ///
    /// # Errors
    /// As there, with the error's type erased.
    fn dyn_remove_many<'a>(
        &'a self,
        addresses: &'a [Address<'a>],
    ) -> BoxFuture<'a, Result<Vec<Removed>, StoreError>>;

    /// As [`Store::abilities`].
    fn dyn_abilities(self: Arc<Self>) -> Abilities;
}

impl<S: Store> DynStore for S {
    fn dyn_get<'a>(&'a self, address: Address<'a>) -> BoxFuture<'a, Result<Fetched, StoreError>> {
        Box::pin(async move { self.get(address).await.map_err(StoreError::new) })
    }

    fn dyn_put<'a>(
        &'a self,
        address: Address<'a>,
        bytes: Bytes,
        ttl: Ttl,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.put(address, bytes, ttl).await.map_err(StoreError::new) })
    }

    fn dyn_remove<'a>(
        &'a self,
        address: Address<'a>,
    ) -> BoxFuture<'a, Result<Removed, StoreError>> {
        Box::pin(async move { self.remove(address).await.map_err(StoreError::new) })
    }

    fn dyn_get_many<'a>(
        &'a self,
        addresses: &'a [Address<'a>],
    ) -> BoxFuture<'a, Result<Vec<Fetched>, StoreError>> {
        Box::pin(async move { self.get_many(addresses).await.map_err(StoreError::new) })
    }

    fn dyn_remove_many<'a>(
        &'a self,
        addresses: &'a [Address<'a>],
    ) -> BoxFuture<'a, Result<Vec<Removed>, StoreError>> {
        Box::pin(async move { self.remove_many(addresses).await.map_err(StoreError::new) })
    }

    fn dyn_abilities(self: Arc<Self>) -> Abilities {
        self.abilities()
    }
}

/// A store whose type is chosen at run time, and itself a [`Store`]; clones are the same store.
///
/// Measured against the store itself on a map in memory: 63 ns instead of 18 ns a read.
#[derive(Clone)]
pub struct AnyStore(Arc<dyn DynStore>);

impl AnyStore {
    /// Hides the type of `store`.
    pub fn new(store: impl Store) -> Self {
        Self(Arc::new(store))
    }
}

impl fmt::Debug for AnyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyStore")
    }
}

// Named through the field: `self.dyn_get` would be the blanket twin of `AnyStore` itself.
impl Store for AnyStore {
    type Error = StoreError;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, StoreError> {
        self.0.dyn_get(address).await
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), StoreError> {
        self.0.dyn_put(address, bytes, ttl).await
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, StoreError> {
        self.0.dyn_remove(address).await
    }

    async fn get_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Fetched>, StoreError> {
        self.0.dyn_get_many(addresses).await
    }

    async fn remove_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Removed>, StoreError> {
        self.0.dyn_remove_many(addresses).await
    }

    fn abilities(self: &Arc<Self>) -> Abilities {
        Arc::clone(&self.0).dyn_abilities()
    }
}

/// A store's error with its type erased; [`source`](Error::source) gives the original.
#[derive(Debug, Clone)]
pub struct StoreError(Arc<dyn Error + Send + Sync>);

impl StoreError {
    /// Erases the type of `error`.
    pub fn new(error: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(error))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.0.as_ref())
    }
}
