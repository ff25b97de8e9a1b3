//! The far tier of one cache: reads, stores and changes, each within one deadline.

mod breaker;
mod coding;
mod drain;
#[cfg(feature = "codec")]
mod frames;
mod heartbeat;
mod lease;
mod link;
mod many;
mod numbers;
mod queue;
mod recent;
mod settle;
mod sight;
mod unguarded;
mod value;
mod write;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_lite::FutureExt;
use larder_core::far::{FarError, Guarded, Missing, Read, Space, Want};
use larder_core::{Clock, LoadError, LoadErrorKind, Moment, Runtime, guard};
use larder_flight::Limit;

use crate::event::What;
use crate::events::Teller;
use crate::log;
use crate::outcome::Why;
use crate::stats::{Count, FarStats};

pub(crate) use breaker::Breaker;
pub(crate) use coding::{About, Coding, Unfit};
#[cfg(feature = "codec")]
pub(crate) use frames::Frames;
pub(crate) use heartbeat::{Pulse, listen};
pub(crate) use lease::{Heard, Hold, Lease, Wakes};
pub(crate) use link::Link;
pub(crate) use queue::{Item, Queue};
pub(crate) use sight::Sight;
pub use unguarded::Unguarded;
pub(crate) use value::FarValue;
pub(crate) use write::{Claim, Claimed};

/// The far tier of one cache.
pub(crate) struct FarTier<V> {
    pub(crate) store: Arc<dyn Guarded>,
    pub(crate) space: Space,
    pub(crate) coding: Arc<dyn Coding<V>>,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) clock: Clock,
    pub(crate) deadline: Duration,
    /// How old a value may be, whoever has stored it.
    pub(crate) max_age: Duration,
    pub(crate) raises: bool,
    pub(crate) counts: FarCounts,
    pub(crate) teller: Arc<Teller>,
    pub(crate) breaker: Breaker,
    pub(crate) queue: Arc<Queue>,
    /// The changes that are under way.
    pub(crate) changes: Arc<Limit>,
    /// Whether loads of other nodes are waited for.
    pub(crate) lease: Option<Lease>,
}

/// What is counted of a far tier.
#[derive(Debug, Default)]
pub(crate) struct FarCounts {
    pub(crate) failures: Count,
    pub(crate) refused: Count,
    pub(crate) undecodable: Count,
    pub(crate) unfit: Count,
    pub(crate) queued: Count,
    pub(crate) waited: Count,
    pub(crate) lapsed: Count,
    pub(crate) requeued: Count,
}

/// What the far tier says of a key.
pub(crate) enum FarLook<V> {
    Hit(FarValue<V>, Option<Claim>),
    /// Something past its time, or expired by hand.
    Old(FarValue<V>, Option<Claim>),
    /// Nothing to use, and the claim of a load.
    Miss(Option<Why>, Option<Claim>),
    /// Nothing yet, and the claim of a load: another node has one. For caches with a lease alone.
    Held(Option<Claim>),
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Done, in every tier.
    Done,
    /// Done on this node. The far tier has not acknowledged it: it is repeated until it does, and
    /// until then this node uses no far answer that it names; other nodes may use theirs.
    Queued,
}

impl<V> FarTier<V> {
    /// Looks a key up, and takes a ticket if it is for a load.
    ///
    /// `current` is asked when the answer is decoded, with the tags that it carries: whether nothing
    /// was invalidated since the call's own ticket. What was under way when an invalidation was
    /// acknowledged falls there. It takes no longer than `most`, and than the far deadline.
    pub(crate) async fn look(
        &self,
        name: &Bytes,
        tags: &[String],
        want: Want,
        most: Duration,
        current: impl Fn(&[String]) -> bool,
    ) -> Result<FarLook<V>, LoadError> {
        let sent = self.clock.now();
        let budget = self.deadline.min(most);
        match self.read(name, tags, want, budget).await {
            Ok(None) => Ok(FarLook::Miss(None, None)),
            Ok(Some(read)) => Ok(self.judge(name, read, sent, current)),
            Err(error) if self.raises => Err(LoadError::new(LoadErrorKind::Far, error.to_string())),
            Err(_) => Ok(FarLook::Miss(Some(Why::FarDown), None)),
        }
    }

    async fn read(
        &self,
        name: &Bytes,
        tags: &[String],
        want: Want,
        budget: Duration,
    ) -> Result<Option<Read>, FarError> {
        let keys = [name.as_ref()];
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        let read = self.store.read(&self.space, &keys, &tags, want);
        let mut reads = self.within(budget, read).await?;
        Ok(reads.pop())
    }

    fn judge(
        &self,
        name: &Bytes,
        read: Read,
        sent: Moment,
        current: impl Fn(&[String]) -> bool,
    ) -> FarLook<V> {
        let claim = self.claimed(read.ticket, sent);
        if self.queue.fences(name, &[]) {
            return FarLook::Miss(Some(Why::Fenced), None);
        }
        let Some(found) = read.found else {
            if read.held && self.lease.is_some() {
                return FarLook::Held(claim);
            }
            return FarLook::Miss(reason(read.missing), claim);
        };
        match self.value(name, &found, sent) {
            Err(why) => FarLook::Miss(Some(why), claim),
            Ok(value) if guard!(FenceTags, self.queue.fences(name, &value.tags), false) => {
                FarLook::Miss(Some(Why::Fenced), None)
            }
            Ok(value) if guard!(DecodeCheck, !current(&value.tags), false) => {
                FarLook::Miss(Some(Why::Refused), claim)
            }
            Ok(value) if value.expired || self.clock.now() >= value.fresh => {
                FarLook::Old(value, claim)
            }
            Ok(value) => FarLook::Hit(value, claim),
        }
    }

    /// Whether others than larder write what this tier holds.
    pub(crate) const fn has_foreign_writers(&self) -> bool {
        self.space.has_foreign_writers()
    }

    /// Whether no change is under way and none waits for the store's answer.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.changes.in_use() == 0 && self.pending() == 0
    }

    /// How many invalidations wait for the store's answer.
    pub(crate) fn pending(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn stats(&self) -> FarStats {
        FarStats {
            failures: self.counts.failures.value(),
            refused: self.counts.refused.value(),
            undecodable: self.counts.undecodable.value(),
            unfit: self.counts.unfit.value(),
            queued: self.counts.queued.value(),
            waited: self.counts.waited.value(),
            lapsed: self.counts.lapsed.value(),
            requeued: self.counts.requeued.value(),
            pending: self.pending(),
            down: self.breaker.is_open(),
        }
    }

    /// An operation within the time that is left, if the breaker admits it.
    async fn within<T>(
        &self,
        left: Duration,
        operation: impl Future<Output = Result<T, FarError>>,
    ) -> Result<T, FarError> {
        if !self.breaker.admits(self.clock.now()) {
            return Err(FarError::not_sent(Down::Known));
        }
        self.tried(left, operation).await
    }

    /// An operation within the time that is left, whatever the breaker says; it hears of the end.
    async fn tried<T>(
        &self,
        left: Duration,
        operation: impl Future<Output = Result<T, FarError>>,
    ) -> Result<T, FarError> {
        let late = async {
            self.runtime.sleep(left).await;
            Err(FarError::unknown(Down::Late))
        };
        let done = log::far(self.teller.cache(), operation.or(late)).await;
        self.heard(done.as_ref().err());
        done
    }

    /// Tells the breaker how an operation ended. A store that has lost a part is there for what the
    /// rest holds.
    fn heard(&self, error: Option<&FarError>) {
        if error.is_some() {
            self.counts.failures.add();
        }
        // A burst of calls is no sign of a store that is down, nor of one that is up again.
        if error.is_some_and(FarError::is_busy) {
            return;
        }
        if error.is_none_or(FarError::is_in_part) {
            if self.breaker.succeeded() {
                self.teller.tell(What::FarUp);
            }
        } else if self.breaker.failed(self.clock.now()) {
            self.teller.tell(What::FarDown);
        }
    }
}

fn reason(missing: Missing) -> Option<Why> {
    match missing {
        Missing::Schema => Some(Why::Schema),
        Missing::Cleared => Some(Why::Cleared),
        Missing::Tag => Some(Why::Tag),
        _ => None,
    }
}

/// Why the engine itself gave an operation up.
#[derive(Debug, Clone, Copy)]
enum Down {
    Known,
    Late,
}

impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Known => "the store has not answered lately and is left alone for a moment",
            Self::Late => "the deadline passed",
        })
    }
}

impl std::error::Error for Down {}
