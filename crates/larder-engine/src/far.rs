//! The far tier of one cache: reads, stores and changes, each within one deadline.

mod breaker;
mod coding;
mod drain;
#[cfg(feature = "codec")]
mod frames;
mod heartbeat;
mod link;
mod queue;
mod settle;
mod unguarded;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_lite::FutureExt;
use larder_core::far::{
    Barrier, FarError, FarFound, FarTicket, Guarded, Missing, Part, Put, Read, Space, Stored, Want,
};
use larder_core::{BoxFuture, Clock, LoadError, LoadErrorKind, Moment, Runtime};
use larder_flight::Stamps;

use crate::outcome::Why;
use crate::stats::{Count, FarStats};

pub(crate) use breaker::Breaker;
pub(crate) use coding::{About, Coding, Unfit};
#[cfg(feature = "codec")]
pub(crate) use frames::Frames;
pub(crate) use heartbeat::{Pulse, listen};
pub(crate) use link::{Link, Sight};
pub(crate) use queue::{Item, Queue};
pub(crate) use settle::to_its_end;
pub use unguarded::Unguarded;

/// The far tier of one cache.
pub(crate) struct FarTier<V> {
    pub(crate) store: Arc<dyn Guarded>,
    pub(crate) space: Space,
    pub(crate) coding: Arc<dyn Coding<V>>,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) clock: Clock,
    pub(crate) stamps: Arc<Stamps>,
    pub(crate) deadline: Duration,
    pub(crate) raises: bool,
    pub(crate) counts: FarCounts,
    pub(crate) breaker: Breaker,
    pub(crate) queue: Queue,
}

/// What is counted of a far tier.
#[derive(Debug, Default)]
pub(crate) struct FarCounts {
    pub(crate) failures: Count,
    pub(crate) refused: Count,
    pub(crate) undecodable: Count,
    pub(crate) unfit: Count,
    pub(crate) queued: Count,
}

/// A value from the far tier, as far as it may be used.
pub(crate) struct FarValue<V> {
    pub(crate) value: Option<Arc<V>>,
    pub(crate) tags: Vec<String>,
    /// When it ends, by this node's clock.
    pub(crate) ends: Moment,
    pub(crate) age: Duration,
}

/// What the far tier says of a key.
pub(crate) enum FarLook<V> {
    Hit(FarValue<V>),
    /// Nothing to use, and the ticket for a load.
    Miss(Option<Why>, Option<FarTicket>),
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
    /// acknowledged falls there.
    pub(crate) async fn look(
        &self,
        name: &Bytes,
        tags: &[String],
        want: Want,
        current: impl Fn(&[String]) -> bool,
    ) -> Result<FarLook<V>, LoadError> {
        let sent = self.clock.now();
        let keys = [name.as_ref()];
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        let read = self.store.read(&self.space, &keys, &tags, want);
        match self.within(read).await {
            Ok(mut reads) => Ok(reads.pop().map_or(FarLook::Miss(None, None), |read| {
                self.judge(name, read, sent, current)
            })),
            Err(error) if self.raises => Err(LoadError::new(LoadErrorKind::Far, error.to_string())),
            Err(_) => Ok(FarLook::Miss(Some(Why::FarDown), None)),
        }
    }

    fn judge(
        &self,
        name: &Bytes,
        read: Read,
        sent: Moment,
        current: impl Fn(&[String]) -> bool,
    ) -> FarLook<V> {
        if self.queue.fences(name, &[]) {
            return FarLook::Miss(Some(Why::Fenced), None);
        }
        let found = match read.found {
            None => return FarLook::Miss(reason(read.missing), read.ticket),
            Some(found) if found.expired => {
                return FarLook::Miss(Some(Why::Expired), read.ticket);
            }
            Some(found) => found,
        };
        match self.value(name, &found, sent) {
            Err(why) => FarLook::Miss(Some(why), read.ticket),
            Ok(value) if self.queue.fences(name, &value.tags) => {
                FarLook::Miss(Some(Why::Fenced), None)
            }
            Ok(value) if !current(&value.tags) => FarLook::Miss(Some(Why::Refused), read.ticket),
            Ok(value) => FarLook::Hit(value),
        }
    }

    /// The value's time is what the store says is left, counted from the moment the read was sent,
    /// and never more than the value was stored for.
    fn value(&self, name: &Bytes, found: &FarFound, sent: Moment) -> Result<FarValue<V>, Why> {
        let decoded = self.coding.decode(name, &found.bytes).inspect_err(|_| {
            self.counts.undecodable.add();
        })?;
        let left = found.left.min(decoded.ttl);
        let ends = sent.after(left).before(self.clock.step());
        if self.clock.now() >= ends {
            return Err(Why::Expired);
        }
        Ok(FarValue {
            value: decoded.value,
            tags: decoded.tags,
            ends,
            age: decoded.age.saturating_add(decoded.ttl - left),
        })
    }

    /// Stores what a load gave, if its ticket still holds.
    pub(crate) async fn store(
        &self,
        name: &Bytes,
        ticket: &FarTicket,
        value: Option<&V>,
        about: &About<'_>,
    ) -> bool {
        if self.queue.fences(name, about.tags) {
            return false;
        }
        let Some(frame) = self.frame(name, value, about) else {
            self.let_go(name, ticket).await;
            return false;
        };
        let tags = names(about);
        let part = part(frame, &tags, about);
        let store = self.store.store_if(&self.space, name, ticket, part);
        match self.within(store).await {
            Ok(Stored::Stored) => true,
            Ok(Stored::Refused) => {
                self.counts.refused.add();
                false
            }
            Err(_) => false,
        }
    }

    fn frame(&self, name: &[u8], value: Option<&V>, about: &About<'_>) -> Option<Bytes> {
        let encoded = self.coding.encode(name, value, about);
        match encoded {
            Ok(frame) => Some(frame),
            Err(Unfit::TooLarge | Unfit::Unencodable) => {
                self.counts.unfit.add();
                None
            }
        }
    }

    /// Lets go of the ticket of a load that stores nothing.
    pub(crate) async fn let_go(&self, name: &Bytes, ticket: &FarTicket) {
        // If it fails, the token ends by itself.
        let _ = self
            .within(self.store.release(&self.space, name, ticket))
            .await;
    }

    /// Puts a value under a ticket that was taken before its source changed; where that cannot be
    /// done the key is invalidated.
    pub(crate) async fn put(
        self: &Arc<Self>,
        name: &Bytes,
        ticket: Option<&FarTicket>,
        value: Option<&V>,
        about: &About<'_>,
    ) -> Change
    where
        V: Send + Sync + 'static,
    {
        let frame = ticket.and_then(|ticket| Some((ticket, self.frame(name, value, about)?)));
        let Some((ticket, frame)) = frame else {
            return self.change(Item::Key(name.clone())).await;
        };
        let tags = names(about);
        let part = part(frame, &tags, about);
        let put = self.store.put_if(&self.space, name, ticket, part);
        match self.within(put).await {
            Ok(Put::Stored | Put::Deleted) => Change::Done,
            Err(_) => self.queue(Item::Key(name.clone())),
        }
    }

    /// Leaves the key's value to fallbacks, or queues its invalidation.
    pub(crate) async fn expire(self: &Arc<Self>, name: Bytes) -> Change
    where
        V: Send + Sync + 'static,
    {
        let keys = [name.as_ref()];
        match self.within(self.store.expire(&self.space, &keys)).await {
            Ok(()) => Change::Done,
            Err(_) => self.queue(Item::Key(name)),
        }
    }

    /// Invalidates in the store, or queues it.
    pub(crate) async fn change(self: &Arc<Self>, item: Item) -> Change
    where
        V: Send + Sync + 'static,
    {
        match self.within(self.send(&item)).await {
            Ok(()) => Change::Done,
            Err(_) => self.queue(item),
        }
    }

    fn queue(self: &Arc<Self>, item: Item) -> Change
    where
        V: Send + Sync + 'static,
    {
        self.counts.queued.add();
        if self.queue.add(item) {
            drain::start(self);
        }
        Change::Queued
    }

    fn send<'a>(&'a self, item: &'a Item) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(async move {
            let (store, space) = (&self.store, &self.space);
            match item {
                Item::Key(name) => store.invalidate(space, &[name]).await,
                Item::Tag(tag) => store.drop_barrier(space, Barrier::Tag(tag)).await,
                Item::All => store.drop_barrier(space, Barrier::All).await,
            }
        })
    }

    /// Raises what an item names.
    pub(crate) fn raise(&self, item: &Item) {
        let digest = match item {
            Item::All => {
                self.stamps.raise_all();
                return;
            }
            Item::Key(name) => larder_core::digest(name),
            Item::Tag(tag) => larder_core::digest(tag.as_bytes()),
        };
        self.stamps.raise(self.stamps.slot_by(digest));
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
            pending: self.pending(),
            down: self.breaker.is_open(),
        }
    }

    /// An operation within the deadline, if the breaker admits it.
    async fn within<T>(
        &self,
        operation: impl Future<Output = Result<T, FarError>>,
    ) -> Result<T, FarError> {
        if !self.breaker.admits(self.clock.now()) {
            return Err(FarError::not_sent(Down::Known));
        }
        let late = async {
            self.runtime.sleep(self.deadline).await;
            Err(FarError::unknown(Down::Late))
        };
        let done = operation.or(late).await;
        match &done {
            Ok(_) => self.breaker.succeeded(),
            Err(_) => {
                self.counts.failures.add();
                self.breaker.failed(self.clock.now());
            }
        }
        done
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

fn names<'a>(about: &About<'a>) -> Vec<&'a str> {
    about.tags.iter().map(String::as_str).collect()
}

fn part<'a>(bytes: Bytes, tags: &'a [&'a str], about: &About<'_>) -> Part<'a> {
    Part {
        bytes,
        tags,
        ends: about.ttl,
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
