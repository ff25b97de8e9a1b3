//! A plain store as far tier.

mod change;
mod name;
mod read;
mod seen;
mod ticket;
mod vouch;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_core::container::Token;
use larder_core::far::{
    Barrier, FarError, FarTicket, Guarded, Part, Put, Read, Space, Stored, Want,
};
use larder_core::{Address, BoxFuture, Runtime, Store, Ttl};

/// A plain [`Store`] as far tier, by its three plain methods and without atomicity: what
/// [`LarderBuilder::far_unguarded`](crate::LarderBuilder::far_unguarded) makes of one, and what is
/// lost stands there. By itself it is for who wraps far tiers, or holds them to a contract.
///
/// It compares tokens like any [`Guarded`], one command after another instead of in one step: a
/// change that lands between the compare and the put of another is overwritten. What was lost,
/// evicted, expired or is no container is a miss and never comes back.
///
/// Everything lies under the cache's name: an entry (a
/// [`Container`](larder_core::container::Container)) under its key, with one more `:` in front if it
/// begins with one, and the token of a barrier under `:` and 16 hex digits. Nobody else may write
/// there.
///
/// A read is one [`get_many`](Store::get_many), and one more if parts have tags that the caller does
/// not name, and for a load a put for each token that is missing. A store is two, and a put; and
/// for tags that the load did not know another, and a put for each without a token. Rarely, a put
/// for a barrier as well that has lived half of its life. An invalidation is one
/// [`remove_many`](Store::remove_many).
pub struct Unguarded<S> {
    store: S,
    runtime: Arc<dyn Runtime>,
}

impl<S: Store> Unguarded<S> {
    /// Makes `store` a far tier, with tokens from the runtime's random bits.
    pub fn new(store: S, runtime: Arc<dyn Runtime>) -> Self {
        Self { store, runtime }
    }

    async fn put(
        &self,
        space: &Space,
        key: &[u8],
        bytes: Bytes,
        life: Ttl,
    ) -> Result<(), FarError> {
        let address = Address::new(space.cache(), key);
        let put = self.store.put(address, bytes, life).await;
        put.map_err(FarError::unknown)
    }

    async fn remove(&self, space: &Space, key: &[u8]) -> Result<(), FarError> {
        let removed = self.store.remove(Address::new(space.cache(), key)).await;
        removed.map(drop).map_err(FarError::unknown)
    }

    /// Random and never counted up: a store that lost its last steps must not come to the same one
    /// again.
    fn token(&self) -> Token {
        let [one, two] = [(), ()].map(|()| self.runtime.random());
        Token::new((u128::from(one) << 64 | u128::from(two)).to_le_bytes())
    }
}

/// A life that the store can keep.
fn life(duration: Duration) -> Ttl {
    Ttl::new(duration).unwrap_or(Ttl::MIN)
}

impl<S: Store> Guarded for Unguarded<S> {
    fn read<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
        tags: &'a [&'a str],
        want: Want,
    ) -> BoxFuture<'a, Result<Vec<Read>, FarError>> {
        Box::pin(self.read_all(space, keys, tags, want))
    }

    fn store_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Stored, FarError>> {
        Box::pin(self.store_part(space, key, ticket, part))
    }

    fn put_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Put, FarError>> {
        Box::pin(self.put_part(space, key, ticket, part))
    }

    fn invalidate<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(self.remove_entries(space, keys))
    }

    fn expire<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(async move {
            for key in keys {
                self.expire_entry(space, key).await?;
            }
            Ok(())
        })
    }

    fn drop_barrier<'a>(
        &'a self,
        space: &'a Space,
        barrier: Barrier<'a>,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(self.remove_barrier(space, barrier))
    }

    fn release<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(self.let_go(space, key, ticket))
    }
}

/// Says nothing of what is in it.
impl<S> fmt::Debug for Unguarded<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unguarded").finish_non_exhaustive()
    }
}
