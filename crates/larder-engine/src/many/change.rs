//! Changing several keys in one call.

use std::sync::Arc;

use larder_core::{Key, Lookup, guard};

use super::asked::{Asked, last_of_each};
use crate::answer::Keep;
use crate::cache::{Cache, Inner, PutTicket};
use crate::event::What;
use crate::far::{Change, Claimed, FarTier, Item};
use crate::load::Place;
use crate::terms::{After, Terms};
use crate::together::together;

impl<K: Key, V: Send + Sync + 'static> Cache<K, V> {
    /// Puts values (or absences: `None`) in the place of whatever the cache holds for their keys,
    /// each as by [`put`](Self::put): for each key the old value is gone when this returns, and a
    /// key whose value cannot be stored far is invalidated instead.
    ///
    /// With a far tier one trip for the tickets of all, and one for the values, which are sent side
    /// by side, in the order of their keys. `Queued` if any of them is. Of two values of one key the
    /// last counts.
    pub async fn put_many<'a, Q, A, M>(
        &self,
        values: impl IntoIterator<Item = (&'a Q, A)>,
    ) -> Change
    where
        Q: Lookup<K> + ?Sized + 'a,
        A: Keep<V, M>,
    {
        let values = values.into_iter();
        let values = last_of_each(values.map(|(key, value)| (key.to_key(), value.keep())));
        let Some(far) = &self.0.far else {
            for (key, value) in values {
                self.0.put_near(key, value);
            }
            return Change::Done;
        };
        self.0.put_many(far, values).await
    }

    /// As [`invalidate`](Self::invalidate), for each of `keys`, in one trip to the far tier. Where
    /// that gives no answer each key is queued.
    pub async fn invalidate_many<'a, Q>(&self, keys: impl IntoIterator<Item = &'a Q>) -> Change
    where
        Q: Lookup<K> + ?Sized + 'a,
    {
        let asked = Asked::of(keys);
        self.0.invalidate_many(asked.keys).await
    }
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// As a change of its own, so that it goes on as a whole if its caller leaves.
    async fn put_many(
        self: &Arc<Self>,
        far: &Arc<FarTier<V>>,
        values: Vec<(K, Option<Arc<V>>)>,
    ) -> Change {
        let near = self.near.ticket();
        let (keys, values): (Vec<K>, Vec<_>) = values.into_iter().unzip();
        let places: Vec<_> = keys.into_iter().map(|key| self.place(key)).collect();
        let names: Vec<_> = places.iter().map(|place| place.name.clone()).collect();
        let claims = if self.mode().keeps() {
            far.claim_many(&names).await
        } else {
            names.iter().map(|_| Claimed::Nothing).collect()
        };
        let tickets = places.into_iter().zip(claims);
        let tickets: Vec<_> = tickets
            .map(|(place, far)| PutTicket { place, near, far })
            .collect();
        let inner = Arc::clone(self);
        let change = async move {
            let puts = tickets.into_iter().zip(values).map(|(ticket, value)| {
                let (terms, after) = (Terms::default(), After::default());
                inner.put(ticket, value, terms, after)
            });
            all(together(puts).await)
        };
        far.settle(items(names), change).await
    }

    async fn invalidate_many(self: &Arc<Self>, keys: Vec<K>) -> Change {
        let places: Vec<_> = keys.into_iter().map(|key| self.place(key)).collect();
        for Place { key, slot, .. } in &places {
            self.counters.happened(What::Invalidated);
            self.near.invalidate(key, *slot);
        }
        let Some(far) = self.far.as_ref().filter(|_| !places.is_empty()) else {
            return Change::Done;
        };
        let names: Vec<_> = places.into_iter().map(|place| place.name).collect();
        let (tier, items) = (Arc::clone(far), items(names.clone()));
        let there = items.clone();
        let change = async move {
            let done = tier.change_many(&names).await;
            let raise = || there.iter().for_each(|item| tier.raise(item));
            guard!(SecondRaise, raise(), ());
            done
        };
        far.settle(items, change).await
    }
}

fn items(names: Vec<bytes::Bytes>) -> Vec<Item> {
    names.into_iter().map(Item::Key).collect()
}

/// Done if all are.
fn all(changes: Vec<Change>) -> Change {
    let queued = changes.into_iter().find(|change| *change != Change::Done);
    queued.unwrap_or(Change::Done)
}
