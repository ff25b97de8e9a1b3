//! Writing to the far tier: stores of loads, puts, and invalidations.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_core::far::{Barrier, FarError, FarTicket, Part, Put, Stored, Want};
use larder_core::{BoxFuture, Moment, guard};

use super::{About, Change, FarTier, Item, Unfit, drain};
use crate::event::{Tier, What};

/// What a load or a put holds at the far tier from before its source is touched.
pub(crate) struct Claim {
    ticket: FarTicket,
    /// What the operation may still spend in the far tier.
    left: Duration,
    /// When it was asked for.
    pub(super) sent: Moment,
}

impl Claim {
    /// The claim of an operation that may spend no more than `most` from here on.
    pub(crate) fn within(self, most: Duration) -> Self {
        let left = self.left.min(most);
        Self { left, ..self }
    }
}

/// The claim of a put.
pub(crate) enum Claimed {
    Holds(Claim),
    /// The store gives no ticket.
    Nothing,
    /// The store was asked and gave no answer.
    Down,
}

impl Claimed {
    /// The claim, if there is one.
    pub(crate) fn held(self) -> Option<Claim> {
        match self {
            Self::Holds(claim) => Some(claim),
            Self::Nothing | Self::Down => None,
        }
    }

    /// What is left of it for a put that may only delete.
    pub(crate) fn void(self) -> Self {
        match self {
            Self::Holds(_) => Self::Nothing,
            other => other,
        }
    }
}

impl<V> FarTier<V> {
    /// The claim of a put, which is to know nothing of what is there.
    pub(crate) async fn claim(&self, name: &Bytes) -> Claimed {
        let sent = self.clock.now();
        match self.read(name, &[], Want::Load, self.deadline).await {
            Err(_) => Claimed::Down,
            Ok(read) => {
                let ticket = read.and_then(|read| read.ticket);
                let claim = self.claimed(ticket, sent);
                claim.map_or(Claimed::Nothing, Claimed::Holds)
            }
        }
    }

    pub(super) fn claimed(&self, ticket: Option<FarTicket>, sent: Moment) -> Option<Claim> {
        let spent = self.clock.now().since(sent);
        let left = self.deadline.saturating_sub(spent);
        ticket.map(|ticket| Claim { ticket, left, sent })
    }

    /// Stores what a load gave, if its ticket still holds.
    pub(crate) async fn store(
        &self,
        name: &Bytes,
        claim: &Claim,
        value: Option<&V>,
        about: &About<'_>,
    ) -> bool {
        if guard!(FenceAtStore, self.queue.fences(name, about.tags), false) {
            self.give_way(name, claim).await;
            return false;
        }
        let Some(frame) = self.frame(name, value, about) else {
            self.let_go(name, claim).await;
            return false;
        };
        let tags = names(about);
        let part = part(frame, &tags, about);
        let Claim { ticket, left, .. } = claim;
        let store = self.store.store_if(&self.space, name, ticket, part);
        match self.within(*left, store).await {
            Ok(Stored::Stored) => {
                self.teller.tell(What::Stored(Tier::Far));
                true
            }
            Ok(Stored::Refused) => {
                self.counts.refused.add();
                self.teller.tell(What::Refused(Tier::Far));
                self.give_way(name, claim).await;
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
                self.teller.tell(What::Unfit(Tier::Far));
                None
            }
        }
    }

    /// Lets go of the ticket of a load whose result is not kept, where others wait for it.
    async fn give_way(&self, name: &Bytes, claim: &Claim) {
        if self.lease.is_some() {
            self.let_go(name, claim).await;
        }
    }

    /// Lets go of the ticket of a load that stores nothing, while it is that load's.
    pub(crate) async fn let_go(&self, name: &Bytes, claim: &Claim) {
        if self.is_over(claim) {
            return;
        }
        let release = self.store.release(&self.space, name, &claim.ticket);
        // If it fails, the token ends by itself.
        let _ = self.within(claim.left, release).await;
    }

    /// Puts a value under a claim from before its source changed; where that cannot be done the key
    /// is invalidated. A store that gave no answer to the claim is not asked again at once. Says as
    /// well whether it is there now.
    pub(crate) async fn put(
        self: &Arc<Self>,
        name: &Bytes,
        claim: &Claimed,
        value: Option<&V>,
        about: &About<'_>,
    ) -> (Change, bool)
    where
        V: Send + Sync + 'static,
    {
        let key = Item::Key(name.clone());
        let claim = match claim {
            Claimed::Holds(claim) => claim,
            Claimed::Nothing => return (self.change(key).await, false),
            Claimed::Down => return (self.queue(key), false),
        };
        let Some(frame) = self.frame(name, value, about) else {
            return (self.change(key).await, false);
        };
        let tags = names(about);
        let part = part(frame, &tags, about);
        let put = self.store.put_if(&self.space, name, &claim.ticket, part);
        match self.within(claim.left, put).await {
            Ok(Put::Stored) => (Change::Done, true),
            Ok(Put::Deleted) => (Change::Done, false),
            Err(_) => (self.queue(key), false),
        }
    }

    /// Leaves the key's value to fallbacks, or queues its invalidation.
    pub(crate) async fn expire(self: &Arc<Self>, name: Bytes) -> Change
    where
        V: Send + Sync + 'static,
    {
        let keys = [name.as_ref()];
        let expire = self.store.expire(&self.space, &keys);
        match self.within(self.deadline, expire).await {
            Ok(()) => Change::Done,
            Err(_) => self.queue(Item::Key(name)),
        }
    }

    /// Invalidates in the store, or queues it.
    pub(crate) async fn change(self: &Arc<Self>, item: Item) -> Change
    where
        V: Send + Sync + 'static,
    {
        match self.within(self.deadline, self.send(&item)).await {
            Ok(()) => Change::Done,
            Err(_) => self.queue(item),
        }
    }

    /// Queues again what was acknowledged lately: another server may have taken over, and never have
    /// heard of it.
    pub(crate) fn requeue(self: &Arc<Self>)
    where
        V: Send + Sync + 'static,
    {
        let recent = self.queue.recent(self.clock.now());
        for item in guard!(Requeue, recent, Vec::new()) {
            self.counts.requeued.add();
            self.queue(item);
        }
    }

    pub(super) fn queue(self: &Arc<Self>, item: Item) -> Change
    where
        V: Send + Sync + 'static,
    {
        self.counts.queued.add();
        self.teller.tell(What::Queued);
        if self.queue.add(item) {
            drain::start(self);
        }
        Change::Queued
    }

    pub(super) fn send<'a>(&'a self, item: &'a Item) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(async move {
            let (store, space) = (&self.store, &self.space);
            match item {
                Item::Key(name) => store.invalidate(space, &[name]).await,
                Item::Tag(tag) => store.drop_barrier(space, Barrier::Tag(tag)).await,
                Item::All => store.drop_barrier(space, Barrier::All).await,
            }
        })
    }

    /// Raises what an item names, in every cache behind the fence.
    pub(crate) fn raise(&self, item: &Item) {
        self.queue.raise(item);
    }
}

fn names<'a>(about: &About<'a>) -> Vec<&'a str> {
    about.tags.iter().map(String::as_str).collect()
}

fn part<'a>(bytes: Bytes, tags: &'a [&'a str], about: &About<'_>) -> Part<'a> {
    Part {
        bytes,
        tags,
        ends: about.kept(),
    }
}
