//! Running the function past the cache.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures_lite::FutureExt;
use larder_core::{Key, LoadError, LoadErrorKind};

use super::{Answered, Ask};
use crate::answer::Answer;
use crate::cache::Inner;
use crate::outcome::Outcome;

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// The function alone, in the call. A function that cannot say an error runs bare; any other
    /// within its deadline, and its panic is an error.
    pub(super) async fn past<R, M, B, F>(&self, ask: &Ask, body: B) -> Answered<V>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
    {
        let alone = async { body().await.split() };
        if ask.bypass {
            return Ok((alone.await?, Outcome::BYPASSED));
        }
        let deadline = self.times.with(&ask.terms).deadline;
        let late = async {
            self.runtime.sleep(deadline).await;
            let text = format!("the load took longer than its deadline of {deadline:?}");
            Err(LoadError::new(LoadErrorKind::TimedOut, text))
        };
        let ended = AssertUnwindSafe(alone.or(late)).catch_unwind().await;
        let ended = ended.unwrap_or_else(|payload| Err(LoadError::from_panic(&*payload)));
        Ok((ended?, Outcome::BYPASSED))
    }
}
