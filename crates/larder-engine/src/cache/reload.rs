//! Loads that may find the old value unchanged.

use std::future::Future;

use larder_core::{Key, LoadError, Lookup};

use super::{Cache, kept};
use crate::answer::Answer;
use crate::load::{Hand, Previous};
#[cfg(doc)]
use crate::mode::Mode;
use crate::options::CallOptions;

impl<K: Key, V: Send + Sync + 'static> Cache<K, V> {
    /// As [`get_or_load_with`](Self::get_or_load_with), for a load that can ask its source whether
    /// the old value holds still: it is given that, with the validator that was kept with it, and
    /// may return [`Loaded::not_modified`](crate::Loaded::not_modified).
    ///
    /// It is given what could be served as a fallback, in the near tier or else in the far one, or
    /// what is fresh and to be refreshed; nothing if there is none of that, and under a
    /// [`Mode`] that does not look. What was invalidated is never given.
    ///
    /// An old value that holds still is kept anew, near without a copy, far stored again, with its
    /// tags and its validator, and what the load says beside. Its life begins with this load.
    ///
    /// # Errors
    /// As there.
    pub async fn get_or_reload<Q, R, M, B, F>(
        &self,
        key: &Q,
        options: CallOptions,
        load: B,
    ) -> Result<R::Kept, LoadError>
    where
        Q: Lookup<K> + ?Sized,
        R: Answer<V, M>,
        B: FnOnce(Option<Previous<V>>) -> F + Send + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        if let Some(value) = self.0.hit(key, |value| {
            options.looks() && (R::ABSENCE || value.is_some())
        }) {
            return Ok(kept::<V, R, M>(value));
        }
        let hand = Hand::new::<V>();
        let mut ask = options.ask();
        ask.hand = Some(hand.clone());
        let load = move || load(hand.take());
        self.missed(key.to_key(), ask, load).await
    }
}
