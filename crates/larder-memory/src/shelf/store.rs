//! Bytes in, bytes out.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use larder_core::far::Abilities;
use larder_core::{Address, Fetched, Found, Removed, Store, Ttl};

use super::Shelf;
use super::keys::{Content, Keys};
use super::name::{Kind, Name};

/// Plain bytes lie beside the guarded entries and never meet them, whatever their names.
impl Store for Shelf {
    type Error = Infallible;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, Infallible> {
        Ok(self.locked(|inner| get(&mut inner.keys, address)))
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), Infallible> {
        self.locked(|inner| {
            let ends = inner.keys.ends(ttl.duration());
            inner.keys.keep(name(address), Content::Plain(bytes), ends);
        });
        Ok(())
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, Infallible> {
        let removed = self.locked(|inner| inner.keys.remove(&name(address)));
        Ok(if removed {
            Removed::Removed
        } else {
            Removed::Absent
        })
    }

    fn abilities(self: &Arc<Self>) -> Abilities {
        Abilities::default().guarded(self).bus(self).sweep(self)
    }
}

fn get(keys: &mut Keys, address: Address<'_>) -> Fetched {
    let latest = keys.latest();
    match keys.find(&name(address)) {
        Some((Content::Plain(bytes), ends)) => Fetched::Found(Found {
            bytes: bytes.clone(),
            left: ends.since(latest),
        }),
        _ => Fetched::Absent,
    }
}

fn name(address: Address<'_>) -> Name {
    Name::new(address.cache(), Kind::Plain(address.key()))
}
