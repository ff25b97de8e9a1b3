//! Changing what a cache holds.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use larder_core::{Key, Lookup, Ticket, guard};

use super::{Cache, Inner};
use crate::answer::Keep;
use crate::event::What;
use crate::far::{About, Change, Claimed, Item};
use crate::lifetime::Times;
use crate::load::Place;
use crate::span::Life;
use crate::terms::{After, Terms};

/// What a put holds from before its source was changed, so that it can be refused.
///
/// Taken by [`Cache::ticket`], used up by [`Cache::put_with`].
#[must_use = "a ticket is to be put with"]
pub struct PutTicket<K> {
    pub(crate) place: Place<K>,
    pub(crate) near: Ticket,
    /// Nothing where there is no far tier.
    pub(crate) far: Claimed,
}

/// Says nothing of the key.
impl<K> fmt::Debug for PutTicket<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("PutTicket");
        out.field("near", &self.near).finish_non_exhaustive()
    }
}

impl<K: Key, V: Send + Sync + 'static> Cache<K, V> {
    /// Puts a value (or absence: `None`) in the place of whatever the cache holds for `key`.
    ///
    /// A load of the key that is running is refused when it ends. The ticket is taken at the call:
    /// between two racing writers the last at the cache wins, whatever the order at the source. A
    /// function that changes the source takes a [`ticket`](Self::ticket) before it does and puts
    /// with that, or invalidates.
    ///
    /// With a far tier two round trips; where that fails the key is invalidated instead, and it may
    /// be [`Queued`](Change::Queued). Under a [`Mode`](crate::Mode) that keeps nothing it
    /// invalidates the key.
    pub async fn put<Q, A, M>(&self, key: &Q, value: A) -> Change
    where
        Q: Lookup<K> + ?Sized,
        A: Keep<V, M>,
    {
        let value = value.keep();
        if self.0.far.is_none() {
            return self.0.put_near(key.to_key(), value);
        }
        let ticket = self.0.ticket(key.to_key()).await;
        self.0
            .put(ticket, value, Terms::default(), After::default())
            .await
    }

    /// A ticket for [`put_with`](Self::put_with), to be taken before the source is changed.
    ///
    /// With a far tier one round trip; a far tier that fails gives a ticket that only deletes there.
    pub async fn ticket<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> PutTicket<K> {
        self.0.ticket(key.to_key()).await
    }

    /// Puts a value that the source was given after the ticket was taken.
    ///
    /// If anything named by the key was invalidated or put since, the value may be older than that:
    /// it is not stored, and what is held is invalidated. So the last writer at the source is never
    /// undone by an earlier one that is late at the cache.
    ///
    /// ```
    /// # use larder_engine::{Cache, Larder};
    /// # smol::block_on(async {
    /// let stock: Cache<u64, u32> = Larder::builder().build()?.cache("stock").build()?;
    /// let ticket = stock.ticket(&5).await;
    /// let left = 7; // UPDATE … RETURNING
    /// let _ = stock.put_with(ticket, left).await;
    /// assert_eq!(stock.get(&5).await.value().as_deref(), Some(&7));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn put_with<A, M>(&self, ticket: PutTicket<K>, value: A) -> Change
    where
        A: Keep<V, M>,
    {
        let (terms, after) = (Terms::default(), After::default());
        self.0.put(ticket, value.keep(), terms, after).await
    }

    /// Never serves again what was loaded or put for `key` before this call.
    ///
    /// O(1). A load of the key that is running goes on for those who wait for it; its result is not
    /// stored and is not given to calls that start after this one returned.
    pub async fn invalidate<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Change {
        self.0.counters.happened(What::Invalidated);
        self.0.invalidate(key.to_key()).await
    }

    /// Ends the time of what is held for `key`: it is not fresh any more and serves as a fallback
    /// only, in the caches that have one. In others it is as [`invalidate`](Self::invalidate).
    pub async fn expire<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Change {
        self.0.counters.happened(What::Invalidated);
        self.0.expire(key.to_key()).await
    }

    /// As [`invalidate`](Self::invalidate), for every value with this tag. O(1), however many.
    pub async fn invalidate_tag(&self, tag: impl Into<String>) -> Change {
        self.0.counters.happened(What::Invalidated);
        self.0.invalidate_tag(tag.into()).await
    }

    /// As [`invalidate`](Self::invalidate), for every key.
    pub async fn clear(&self) -> Change {
        self.0.counters.happened(What::Cleared);
        self.0.clear().await
    }
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    pub(crate) async fn ticket(&self, key: K) -> PutTicket<K> {
        let near = self.near.ticket();
        let place = self.place(key);
        let far = match &self.far {
            Some(far) if place.fits && self.mode().keeps() => far.claim(&place.name).await,
            // There is nothing to store it under: the put only deletes.
            _ => Claimed::Nothing,
        };
        PutTicket { place, near, far }
    }

    /// The ticket of a key that was not known when the near one was taken: far it only deletes.
    pub(crate) fn ticket_since(&self, near: Ticket, key: K) -> PutTicket<K> {
        let (place, far) = (self.place(key), Claimed::Nothing);
        PutTicket { place, near, far }
    }

    /// Ends a put that has nothing to put.
    pub(crate) async fn let_go_of(&self, ticket: PutTicket<K>) {
        if let Claimed::Holds(claim) = ticket.far {
            self.let_go(&ticket.place, Some(claim)).await;
        }
    }

    pub(crate) fn put_near(&self, key: K, value: Option<Arc<V>>) -> Change {
        self.counters.happened(What::Put);
        let place = self.place(key);
        let life = self.life_of_put(&self.times, value.is_some(), &place);
        let span = life.map(|life| life.span(self.near.now(), self.near.step()));
        self.near.put(place.key, place.slot, value, span);
        Change::Done
    }

    /// How long what is put is kept; `None` if it is not, as under a mode that keeps nothing.
    fn life_of_put(&self, times: &Times, is_value: bool, place: &Place<K>) -> Option<Life> {
        let kept = self.keeps(self.mode(), place);
        kept.then(|| times.life(is_value, Duration::ZERO, &self.dice()))?
    }

    /// Near, far, near: in between a reader may have fetched the old far value, which the last step
    /// makes fall. It runs to its end even if the caller leaves.
    pub(crate) async fn put(
        self: &Arc<Self>,
        ticket: PutTicket<K>,
        value: Option<Arc<V>>,
        terms: Terms,
        after: After,
    ) -> Change {
        self.counters.happened(What::Put);
        let PutTicket {
            place,
            near: before,
            far: claim,
        } = ticket;
        let near = guard!(PutTicketBefore, before, self.near.ticket());
        let times = self.times.with(&terms).after(&after);
        let life = self.life_of_put(&times, value.is_some(), &place);
        let mut tags = terms.tags;
        tags.extend(after.tags);
        let tag_slots = self.near.tag_slots(&tags);
        let held = self
            .near
            .put_begins(&place.key, place.slot, &tag_slots, near);
        let span = life.map(|life| life.span(self.near.now(), self.near.step()));
        let entry = held.zip(span).map(|(ticket, span)| {
            let slot = place.slot;
            self.near
                .entry(value.clone(), &tag_slots, ticket, slot, span, None)
        });
        let Some(far) = self.far.clone() else {
            self.near.put_ends(place.key, place.slot, entry);
            return Change::Done;
        };
        let (inner, tier) = (Arc::clone(self), Arc::clone(&far));
        let item = Item::Key(place.name.clone());
        let change = async move {
            let claim = guard!(PutTicketBefore, claim, tier.claim(&place.name).await);
            let claim = match held {
                None => guard!(PutVoidsClaim, claim.void(), claim),
                Some(_) => claim,
            };
            let (done, is_far) = match life {
                None => (tier.change(Item::Key(place.name)).await, false),
                Some(life) => {
                    // It is new, and nobody has loaded it.
                    let about = About::of(&tags, life, Duration::ZERO);
                    tier.put(&place.name, &claim, value.as_deref(), &about)
                        .await
                }
            };
            // Nobody tells of a delete that finds nothing.
            let watched = is_far || !inner.has_foreign_writers();
            let entry = entry.filter(|_| guard!(UnwatchedPut, watched, true));
            inner.near.put_ends(place.key, place.slot, entry);
            done
        };
        far.settle([item], change).await
    }

    pub(crate) async fn invalidate(self: &Arc<Self>, key: K) -> Change {
        let place = self.place(key);
        guard!(FirstRaise, self.near.invalidate(&place.key, place.slot), ());
        self.far_change(Item::Key(place.name)).await
    }

    async fn expire(self: &Arc<Self>, key: K) -> Change {
        let place = self.place(key);
        guard!(FirstRaise, self.near.expire(place.slot), ());
        let Some(far) = self.far.clone() else {
            return Change::Done;
        };
        let (item, tier) = (Item::Key(place.name.clone()), Arc::clone(&far));
        let change = async move {
            let done = tier.expire(place.name.clone()).await;
            guard!(SecondRaise, tier.queue.expire(&place.name), ());
            done
        };
        far.settle([item], change).await
    }

    async fn invalidate_tag(self: &Arc<Self>, tag: String) -> Change {
        guard!(FirstRaise, self.near.invalidate_tag(&tag), ());
        self.far_change(Item::Tag(tag)).await
    }

    pub(crate) async fn clear(self: &Arc<Self>) -> Change {
        guard!(FirstRaise, self.near.clear(), ());
        self.far_change(Item::All).await
    }

    async fn far_change(self: &Arc<Self>, item: Item) -> Change {
        let Some(far) = self.far.clone() else {
            return Change::Done;
        };
        let (there, tier) = (item.clone(), Arc::clone(&far));
        let change = async move {
            let done = tier.change(there.clone()).await;
            guard!(SecondRaise, tier.raise(&there), ());
            done
        };
        far.settle([item], change).await
    }
}
