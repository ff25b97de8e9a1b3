//! Functions that put what they return.

use std::fmt;
use std::sync::Arc;

use larder_core::{Key, Ticket};

use crate::cache::{Cache, PutTicket};
use crate::terms::{After, Terms};

use super::puts::Puts;

/// A put whose function has not ended yet.
pub struct Putting<K, V> {
    pub(super) cache: Cache<K, V>,
    pub(super) ticket: PutTicket<K>,
    pub(super) terms: Terms,
}

impl<K: Key, V: Send + Sync + 'static> Putting<K, V> {
    /// Puts a success, or invalidates the key if it is not to be kept; the answer.
    pub async fn end<R, M, T, A>(self, answer: R, after: A) -> R
    where
        R: Puts<V, M, Kept = T>,
        A: FnOnce(&T) -> After,
    {
        let cache = &self.cache.0;
        let Some(after) = answer.ok().map(after) else {
            cache.let_go_of(self.ticket).await;
            return answer;
        };
        let value = value(answer);
        let _ = cache
            .put(self.ticket, value.clone(), self.terms, after)
            .await;
        given(value)
    }
}

impl<K, V> fmt::Debug for Putting<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Putting")
    }
}

/// A put whose key is in the answer.
///
/// One near ticket serves every key; a far one cannot be taken for a key that is not known, so far
/// the put only deletes.
pub struct PuttingByValue<K, V> {
    pub(super) cache: Cache<K, V>,
    pub(super) near: Ticket,
    pub(super) terms: Terms,
}

impl<K: Key, V: Send + Sync + 'static> PuttingByValue<K, V> {
    /// The put with what is said of its value.
    #[must_use]
    pub fn under(mut self, terms: Terms) -> Self {
        self.terms = terms;
        self
    }

    /// Puts a success, unless it is not to be kept: then no key is made of it. The answer.
    pub async fn end<R, M, T, A, N>(self, answer: R, after: A, key: N) -> R
    where
        R: Puts<V, M, Kept = T>,
        A: FnOnce(&T) -> After,
        N: FnOnce(&T) -> K,
    {
        let cache = &self.cache.0;
        let named = answer.ok().and_then(|kept| {
            let after = after(kept);
            (!after.unless).then(|| (key(kept), after))
        });
        let Some((key, after)) = named else {
            return answer;
        };
        let value = value(answer);
        let ticket = cache.ticket_since(self.near, key);
        let _ = cache.put(ticket, value.clone(), self.terms, after).await;
        given(value)
    }
}

impl<K, V> fmt::Debug for PuttingByValue<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PuttingByValue")
    }
}

fn value<V, R: Puts<V, M>, M>(success: R) -> Option<Arc<V>> {
    let value = success.value().ok();
    value.expect("only a success is put")
}

fn given<V, R: Puts<V, M>, M>(value: Option<Arc<V>>) -> R {
    R::given(value).expect("a shape can say what it said")
}
