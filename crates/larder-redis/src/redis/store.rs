//! Bytes in, bytes out.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::{Abilities, FarError};
use larder_core::{Address, Fetched, Found, Removed, Store, Ttl};

use super::Redis;
use crate::args;
use crate::replies::Value;
use crate::wire::Request;

/// Plain bytes lie beside the guarded entries and never meet them.
///
/// The time left is asked before the bytes, in the same trip but not in the same step: where others
/// put new bytes for a shorter time in between, it is that of the old ones.
impl Store for Redis {
    type Error = FarError;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, FarError> {
        let mut all = self.get_many(&[address]).await?;
        Ok(all.pop().unwrap_or(Fetched::Absent))
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), FarError> {
        let life = [args::word("PX"), args::millis(ttl.duration())];
        let args = [self.plain(address), bytes].into_iter().chain(life);
        let set = Request::command("SET", args.collect());
        let done = async { self.ask(vec![set]).await?.done() };
        self.noted(done.await)
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, FarError> {
        let mut all = self.remove_many(&[address]).await?;
        Ok(all.pop().unwrap_or(Removed::Absent))
    }

    async fn get_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Fetched>, FarError> {
        self.noted(self.fetch(addresses).await)
    }

    async fn remove_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Removed>, FarError> {
        self.noted(self.discard(addresses).await)
    }

    fn abilities(self: &Arc<Self>) -> Abilities {
        Abilities::default().guarded(self).bus(self).sweep(self)
    }
}

impl Redis {
    fn plain(&self, address: Address<'_>) -> Bytes {
        self.names(address.cache()).plain(address.key())
    }

    async fn fetch(&self, addresses: &[Address<'_>]) -> Result<Vec<Fetched>, FarError> {
        let mut batch = Vec::with_capacity(2 * addresses.len());
        for address in addresses {
            let name = self.plain(*address);
            batch.push(Request::command("PTTL", vec![name.clone()]));
            batch.push(Request::command("GET", vec![name]));
        }
        let mut replies = self.ask(batch).await?;
        let one = |_| {
            let left = replies.int()?;
            Ok(self.fetched(left, replies.value()?))
        };
        addresses.iter().map(one).collect()
    }

    fn fetched(&self, left: i64, value: Value) -> Fetched {
        match value {
            Value::Bytes(bytes) if left > 0 => Fetched::Found(Found {
                bytes,
                left: Duration::from_millis(left.unsigned_abs()),
            }),
            // What has no end, or is no text, is nothing of ours.
            Value::Bytes(_) if left != -1 => Fetched::Absent,
            Value::None => Fetched::Absent,
            Value::Bytes(_) | Value::Foreign => {
                self.0.counters.foreign();
                Fetched::Absent
            }
        }
    }

    async fn discard(&self, addresses: &[Address<'_>]) -> Result<Vec<Removed>, FarError> {
        let names = addresses.iter().map(|address| self.plain(*address));
        let batch = names.map(|name| Request::command("UNLINK", vec![name]));
        let mut replies = self.ask(batch.collect()).await?;
        let one = |_| {
            let gone = replies.int()? > 0;
            Ok(if gone {
                Removed::Removed
            } else {
                Removed::Absent
            })
        };
        addresses.iter().map(one).collect()
    }
}
