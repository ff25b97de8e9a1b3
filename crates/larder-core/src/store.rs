//! Bytes in, bytes out.

mod erased;

use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::Ttl;
use crate::far::Abilities;

pub use erased::{AnyStore, DynStore, StoreError};

/// A place that keeps bytes for a time: a process's memory, a server.
///
/// Three methods are required; the others stand on them and are overridden for speed. A store
/// knows nothing of values and codecs. Implementors write `async fn`; the futures must be `Send`.
///
/// Dropping a future of a changing method leaves it unknown whether the change happened.
///
/// The error is the store's own ([`std::convert::Infallible`] for memory), apart from the results:
/// a dead store can never look like a miss.
pub trait Store: Send + Sync + 'static {
    /// What can go wrong.
    type Error: Error + Send + Sync + 'static;

    /// The bytes at `address`, with the time they have left.
    ///
    /// # Errors
    /// The store could not say whether there are any.
    fn get(
        &self,
        address: Address<'_>,
    ) -> impl Future<Output = Result<Fetched, Self::Error>> + Send;

    /// Keeps `bytes` at `address` for `ttl`, in place of what was there.
    ///
    /// # Errors
    /// The bytes may or may not be kept.
    fn put(
        &self,
        address: Address<'_>,
        bytes: Bytes,
        ttl: Ttl,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Removes what is at `address`.
    ///
    /// # Errors
    /// It may or may not be removed.
    fn remove(
        &self,
        address: Address<'_>,
    ) -> impl Future<Output = Result<Removed, Self::Error>> + Send;

    /// As [`get`](Self::get) for each address, in their order; by default one after another.
    ///
    /// # Errors
    /// The first that occurs; then nothing is known of the others.
    fn get_many(
        &self,
        addresses: &[Address<'_>],
    ) -> impl Future<Output = Result<Vec<Fetched>, Self::Error>> + Send {
        async move {
            let mut all = Vec::with_capacity(addresses.len());
            for &address in addresses {
                all.push(self.get(address).await?);
            }
            Ok(all)
        }
    }

    /// As [`remove`](Self::remove) for each address, in their order; by default one after another.
    ///
    /// # Errors
    /// The first that occurs; those before it are removed, those after it may be.
    fn remove_many(
        &self,
        addresses: &[Address<'_>],
    ) -> impl Future<Output = Result<Vec<Removed>, Self::Error>> + Send {
        async move {
            let mut all = Vec::with_capacity(addresses.len());
            for &address in addresses {
                all.push(self.remove(address).await?);
            }
            Ok(all)
        }
    }

    /// What the store can do beside keeping bytes. A store that wraps another shows what that can.
    fn abilities(self: &Arc<Self>) -> Abilities
    where
        Self: Sized,
    {
        Abilities::default()
    }
}

/// Where bytes are kept: a cache's name and a key's bytes. How a store joins the two is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Address<'a> {
    cache: &'a str,
    key: &'a [u8],
}

impl<'a> Address<'a> {
    /// The address of `key` in `cache`. Both may be any text and any bytes.
    #[must_use]
    pub const fn new(cache: &'a str, key: &'a [u8]) -> Self {
        Self { cache, key }
    }

    /// The cache's name.
    #[must_use]
    pub const fn cache(&self) -> &'a str {
        self.cache
    }

    /// The key's bytes.
    #[must_use]
    pub const fn key(&self) -> &'a [u8] {
        self.key
    }
}

/// What [`Store::get`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Fetched {
    /// Bytes.
    Found(Found),
    /// None, or none any more.
    Absent,
}

/// Bytes from a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "made by every adapter")]
pub struct Found {
    /// The bytes as they were put.
    pub bytes: Bytes,
    /// How much longer the store keeps them, by its own clock, never more than they were put for.
    pub left: Duration,
}

/// What [`Store::remove`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Removed {
    /// There were bytes, and they are gone.
    Removed,
    /// There were none.
    Absent,
}
