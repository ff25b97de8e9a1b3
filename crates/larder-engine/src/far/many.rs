//! Several keys in one trip.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::{FarError, Read, Want};
use larder_core::{LoadError, LoadErrorKind};

use super::{Change, Claimed, FarLook, FarTier, Item};
use crate::outcome::Why;

impl<V> FarTier<V> {
    /// As [`look`](Self::look), for several keys in one trip; `current` is told which is asked for.
    pub(crate) async fn look_many(
        &self,
        names: &[Bytes],
        tags: &[String],
        want: Want,
        most: Duration,
        current: impl Fn(usize, &[String]) -> bool,
    ) -> Result<Vec<FarLook<V>>, LoadError> {
        let sent = self.clock.now();
        match self
            .read_many(names, tags, want, self.deadline.min(most))
            .await
        {
            Ok(reads) => {
                let judge = |(at, (name, read))| {
                    self.judge(name, read, sent, |tags: &[String]| current(at, tags))
                };
                Ok(names.iter().zip(reads).enumerate().map(judge).collect())
            }
            Err(error) if self.raises => Err(LoadError::new(LoadErrorKind::Far, error.to_string())),
            Err(_) => {
                let down = || FarLook::Miss(Some(Why::FarDown), None);
                Ok(names.iter().map(|_| down()).collect())
            }
        }
    }

    /// The claims of puts, in one trip.
    pub(crate) async fn claim_many(&self, names: &[Bytes]) -> Vec<Claimed> {
        let sent = self.clock.now();
        let Ok(reads) = self.read_many(names, &[], Want::Load, self.deadline).await else {
            return names.iter().map(|_| Claimed::Down).collect();
        };
        let claimed = |read: Read| {
            let claim = self.claimed(read.ticket, sent);
            claim.map_or(Claimed::Nothing, Claimed::Holds)
        };
        reads.into_iter().map(claimed).collect()
    }

    /// One answer a key: a store that gives fewer has not answered.
    async fn read_many(
        &self,
        names: &[Bytes],
        tags: &[String],
        want: Want,
        budget: Duration,
    ) -> Result<Vec<Read>, FarError> {
        let keys: Vec<&[u8]> = names.iter().map(Bytes::as_ref).collect();
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        let read = self.store.read(&self.space, &keys, &tags, want);
        let reads = self.within(budget, read).await?;
        if reads.len() == names.len() {
            return Ok(reads);
        }
        Err(FarError::unknown(Short))
    }

    /// Invalidates several keys in one trip, or queues them.
    pub(crate) async fn change_many(self: &Arc<Self>, names: &[Bytes]) -> Change
    where
        V: Send + Sync + 'static,
    {
        let keys: Vec<&[u8]> = names.iter().map(Bytes::as_ref).collect();
        let invalidate = self.store.invalidate(&self.space, &keys);
        match self.within(self.deadline, invalidate).await {
            Ok(()) => Change::Done,
            Err(_) => {
                let items = names.iter().cloned().map(Item::Key);
                items.fold(Change::Done, |_, item| self.queue(item))
            }
        }
    }
}

/// Why a read is no answer.
#[derive(Debug, Clone, Copy)]
struct Short;

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the store has not answered for every key")
    }
}

impl std::error::Error for Short {}
