//! The entry that a call is about.
//!
//! Methods, because they know the cache's types before they look at the function's; so a wrong
//! return type is told apart from a wrong cache.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use larder_core::{BoxFuture, Key, LoadError, Lookup};

use crate::answer::Answer;
use crate::cache::Cache;
use crate::load::{Ask, Life};
use crate::terms::{After, Terms};

use super::put::{Putting, PuttingByValue};

/// A cache that is asked by a function.
#[expect(clippy::exhaustive_structs, reason = "built by the attributes")]
pub struct Asked<'a, K, V>(pub &'a Cache<K, V>);

impl<K, V> Asked<'_, K, V> {
    /// The answer that the near tier holds, if the function can return it; else the place to load.
    ///
    /// # Errors
    /// No error: it has to be loaded.
    #[inline(always)]
    pub fn hit<R, M, Q>(self, key: &Q) -> Result<R, Place<K, V>>
    where
        K: Key,
        V: Send + Sync + 'static,
        R: Answer<V, M>,
        Q: Lookup<K> + ?Sized,
    {
        let wanted = |value: &Option<_>| R::ABSENCE || value.is_some();
        let value = self.0.0.hit(key, wanted);
        value.and_then(R::answer).ok_or_else(|| self.missed(key))
    }

    /// As [`place`](Self::place), out of the way of a hit.
    #[cold]
    #[inline(never)]
    fn missed<Q: Lookup<K> + ?Sized>(self, key: &Q) -> Place<K, V> {
        self.place(key)
    }

    /// The place of `key`.
    pub fn place<Q: Lookup<K> + ?Sized>(self, key: &Q) -> Place<K, V> {
        Place {
            cache: self.0.clone(),
            key: key.to_key(),
            terms: None,
        }
    }

    /// A put whose key is in the answer; taken before the source is changed.
    pub fn put_by_value(self) -> PuttingByValue<K, V>
    where
        K: Key,
        V: Send + Sync + 'static,
    {
        PuttingByValue {
            cache: self.0.clone(),
            near: self.0.0.near.ticket(),
            terms: Terms::default(),
        }
    }
}

impl<K, V> fmt::Debug for Asked<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asked")
    }
}

/// An entry's place: cache and owned key, which outlive the arguments of the call.
pub struct Place<K, V> {
    pub(super) cache: Cache<K, V>,
    pub(super) key: K,
    /// Apart, because a hit has to have room for the place that it does not make.
    pub(super) terms: Option<Box<Terms>>,
}

impl<K, V> Place<K, V> {
    /// The place with what is said of its value; one value, so that it leaves the caller's future
    /// as a whole.
    #[must_use]
    pub fn under(mut self, terms: Terms) -> Self {
        self.terms = Some(Box::new(terms));
        self
    }

    /// The answer by a load, joined or led. A function that cannot say an error runs past the
    /// cache where no load may start.
    ///
    /// The future is the one allocation of the caller's side, so that the way of a hit stays small.
    pub fn load<R, M, T, B, F, A>(
        self,
        body: B,
        after: A,
    ) -> BoxFuture<'static, Result<R, LoadError>>
    where
        K: Key,
        V: Send + Sync + 'static,
        R: Answer<V, M, Kept = T> + Send + 'static,
        M: 'static,
        T: 'static,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        A: FnOnce(&T) -> After + Send + 'static,
    {
        self.detached(Life::Detach, body, after)
    }

    /// As [`load`](Self::load); the load ends when its last caller has left.
    pub fn cancel<R, M, T, B, F, A>(
        self,
        body: B,
        after: A,
    ) -> BoxFuture<'static, Result<R, LoadError>>
    where
        K: Key,
        V: Send + Sync + 'static,
        R: Answer<V, M, Kept = T> + Send + 'static,
        M: 'static,
        T: 'static,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        A: FnOnce(&T) -> After + Send + 'static,
    {
        self.detached(Life::Cancel, body, after)
    }

    fn detached<R, M, T, B, F, A>(
        self,
        life: Life,
        body: B,
        after: A,
    ) -> BoxFuture<'static, Result<R, LoadError>>
    where
        K: Key,
        V: Send + Sync + 'static,
        R: Answer<V, M, Kept = T> + Send + 'static,
        M: 'static,
        T: 'static,
        B: FnOnce() -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
        A: FnOnce(&T) -> After + Send + 'static,
    {
        Box::pin(async move {
            let ask = ask::<V, R, M>(self.terms, life);
            let missed = self.cache.0.miss(self.key, ask, body, after);
            Ok(answer(missed.await?.0))
        })
    }

    /// As [`load`](Self::load), in the caller's task: nothing need be `'static`, and the future is
    /// `Send` if all that it holds is.
    pub fn hold<R, M, T, B, F, A>(
        self,
        body: B,
        after: A,
    ) -> Pin<Box<impl Future<Output = Result<R, LoadError>>>>
    where
        K: Key,
        V: Send + Sync + 'static,
        R: Answer<V, M, Kept = T>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
        A: FnOnce(&T) -> After,
    {
        Box::pin(async move {
            let ask = ask::<V, R, M>(self.terms, Life::default());
            let missed = self.cache.0.miss_here(self.key, ask, body, after);
            Ok(answer(missed.await?.0))
        })
    }

    /// As [`hold`](Self::hold), for a function that blocks its thread.
    ///
    /// # Errors
    /// As there; of kind `WouldBlock` on a thread that runs tasks.
    pub fn block<R, M, T, B, A>(self, body: B, after: A) -> Result<R, LoadError>
    where
        K: Key,
        V: Send + Sync + 'static,
        R: Answer<V, M, Kept = T>,
        B: FnOnce() -> R,
        A: FnOnce(&T) -> After,
    {
        let ask = ask::<V, R, M>(self.terms, Life::default());
        let missed = self.cache.0.miss_blocking(self.key, ask, body, after);
        Ok(answer(missed?.0))
    }

    /// Takes the ticket of a put, before the source is changed.
    pub async fn put(self) -> Putting<K, V>
    where
        K: Key,
        V: Send + Sync + 'static,
    {
        let ticket = self.cache.0.ticket(self.key).await;
        Putting {
            cache: self.cache,
            ticket,
            terms: of(self.terms),
        }
    }
}

fn of(terms: Option<Box<Terms>>) -> Terms {
    terms.map_or_else(Terms::default, |terms| *terms)
}

fn ask<V, R: Answer<V, M>, M>(terms: Option<Box<Terms>>, life: Life) -> Ask {
    let terms = of(terms);
    let bypass = !R::FALLIBLE;
    Ask {
        terms,
        life,
        bypass,
        ..Ask::default()
    }
}

fn answer<V, R: Answer<V, M>, M>(value: Option<Arc<V>>) -> R {
    R::answer(value).expect("absence was asked for only where it can be said")
}

impl<K, V> fmt::Debug for Place<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}
