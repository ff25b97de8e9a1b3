//! The ability to remove what a cache holds.

use bytes::Bytes;
use larder_core::BoxFuture;
use larder_core::far::{FarError, Sweep};

use super::Redis;
use crate::args;
use crate::names::Names;
use crate::replies::{self, Value};
use crate::wire::{Reply, Request};

impl Sweep for Redis {
    /// Removes entries, plain bytes, tokens and the number, a few hundred keys at a time and each by
    /// name; others are served in between. Costs a look at every key of the server, on a cluster of
    /// every master. What is stored meanwhile may stay, and so may what moves to another master.
    fn purge<'a>(&'a self, cache: &'a str) -> BoxFuture<'a, Result<u64, FarError>> {
        Box::pin(async move { self.noted(self.sweep(&self.names(cache)).await) })
    }
}

/// How many keys the server looks at in one step.
const LOOKED_AT: Bytes = args::word("512");

impl Redis {
    async fn sweep(&self, names: &Names) -> Result<u64, FarError> {
        let mut removed = 0;
        for master in 0..self.0.wire.masters().await? {
            let mut cursor = args::word("0");
            loop {
                let (next, found) = self.scan(master, cursor, names).await?;
                removed += self.unlink(found).await?;
                if &next[..] == b"0" {
                    break;
                }
                cursor = next;
            }
        }
        Ok(removed)
    }

    /// The next few of the cache's keys, and where to go on.
    async fn scan(
        &self,
        master: usize,
        cursor: Bytes,
        names: &Names,
    ) -> Result<(Bytes, Vec<Bytes>), FarError> {
        let pattern = [args::word("MATCH"), names.pattern()];
        let count = [args::word("COUNT"), LOOKED_AT];
        let args = std::iter::once(cursor)
            .chain(pattern)
            .chain(count)
            .collect();
        let scan = Request::on_master(master, "SCAN", args);
        let mut replies = self.ask(vec![scan]).await?;
        let mut both = replies.maybe_array()?.unwrap_or_default().into_iter();
        let (Some(Reply::Bytes(next)), Some(keys), None) = (both.next(), both.next(), both.next())
        else {
            return Err(replies::out_of_step());
        };
        let mut found = Vec::new();
        for key in replies::array(keys)? {
            let Value::Bytes(key) = replies::value(key)? else {
                return Err(replies::out_of_step());
            };
            // A pattern finds a little more than what it is made for.
            found.extend(names.owns(&key).then_some(key));
        }
        Ok((next, found))
    }

    async fn unlink(&self, keys: Vec<Bytes>) -> Result<u64, FarError> {
        if keys.is_empty() {
            return Ok(0);
        }
        let unlink = |keys| Request::command("UNLINK", keys);
        let batch: Vec<_> = if self.is_cluster() {
            keys.into_iter().map(|key| unlink(vec![key])).collect()
        } else {
            vec![unlink(keys)]
        };
        let requests = batch.len();
        let mut replies = self.ask(batch).await?;
        let counts = (0..requests).map(|_| replies.int());
        counts.map(|count| count.map(i64::unsigned_abs)).sum()
    }
}
