//! Changing.

use larder_core::container::{self, Container};
use larder_core::far::{Barrier, FarError, FarTicket, Part, Put, Space, Stored};
use larder_core::{Address, Store, Ttl};

use super::seen::Entry;
use super::ticket::Tokens;
use super::{Unguarded, name};

impl<S: Store> Unguarded<S> {
    pub(super) async fn store_part(
        &self,
        space: &Space,
        key: &[u8],
        ticket: &FarTicket,
        part: Part<'_>,
    ) -> Result<Stored, FarError> {
        match self.vouch(space, key, ticket, &part).await? {
            None => Ok(Stored::Refused),
            Some((entry, barriers)) => {
                self.keep(space, key, entry, &barriers, part).await?;
                Ok(Stored::Stored)
            }
        }
    }

    pub(super) async fn put_part(
        &self,
        space: &Space,
        key: &[u8],
        ticket: &FarTicket,
        part: Part<'_>,
    ) -> Result<Put, FarError> {
        match self.vouch(space, key, ticket, &part).await? {
            None => {
                self.remove(space, &name::of_entry(key)).await?;
                Ok(Put::Deleted)
            }
            Some((entry, barriers)) => {
                let container = Container::new(self.token());
                let entry = Entry { container, ..entry };
                self.keep(space, key, entry, &barriers, part).await?;
                Ok(Put::Stored)
            }
        }
    }

    /// Adds a part to an entry. What cannot be kept, for want of time or because of more tags than a
    /// part can list, leaves nothing.
    async fn keep(
        &self,
        space: &Space,
        key: &[u8],
        mut entry: Entry,
        barriers: &[container::Barrier],
        part: Part<'_>,
    ) -> Result<(), FarError> {
        let key = name::of_entry(key);
        let kept = container::Part::new(space.schema(), barriers, part.bytes);
        match (kept, Ttl::new(part.ends)) {
            (Ok(kept), Ok(life)) => {
                let life = entry.container.keep(kept, life, entry.left);
                let bytes = entry.container.to_bytes();
                self.put(space, &key, bytes, life).await
            }
            _ => self.remove(space, &key).await,
        }
    }

    pub(super) async fn remove_entries(
        &self,
        space: &Space,
        keys: &[&[u8]],
    ) -> Result<(), FarError> {
        let keys: Vec<_> = keys.iter().map(|key| name::of_entry(key)).collect();
        let addresses = keys.iter().map(|key| Address::new(space.cache(), key));
        let addresses: Vec<_> = addresses.collect();
        let removed = self.store.remove_many(&addresses).await;
        removed.map(drop).map_err(FarError::unknown)
    }

    /// Without parts there is nothing to fall back to, and nobody is to wait for a holder that
    /// cannot store.
    pub(super) async fn expire_entry(&self, space: &Space, key: &[u8]) -> Result<(), FarError> {
        let Some(mut entry) = self.entry(space, key).await? else {
            return Ok(());
        };
        let key = name::of_entry(key);
        match Ttl::new(entry.left) {
            Ok(left) if !entry.is_empty() => {
                entry.container.expire(self.token());
                let bytes = entry.container.to_bytes();
                self.put(space, &key, bytes, left).await
            }
            _ => self.remove(space, &key).await,
        }
    }

    /// Of a tag, `any` goes first: a store that finds the tag's token gone, and makes a new one, looks
    /// at `any` after that and is refused.
    pub(super) async fn remove_barrier(
        &self,
        space: &Space,
        barrier: Barrier<'_>,
    ) -> Result<(), FarError> {
        let name = match barrier {
            Barrier::All => name::clear(),
            Barrier::Tag(tag) => {
                self.remove(space, &name::of_barrier(name::any())).await?;
                name::tag(tag)
            }
        };
        self.remove(space, &name::of_barrier(name)).await
    }

    pub(super) async fn let_go(
        &self,
        space: &Space,
        key: &[u8],
        ticket: &FarTicket,
    ) -> Result<(), FarError> {
        let Some(tokens) = Tokens::decode(ticket) else {
            return Ok(());
        };
        let entry = self.entry(space, key).await?;
        let own = |entry: &Entry| entry.container.token() == tokens.entry && entry.is_empty();
        match entry.is_some_and(|entry| own(&entry)) {
            true => self.remove(space, &name::of_entry(key)).await,
            false => Ok(()),
        }
    }
}
