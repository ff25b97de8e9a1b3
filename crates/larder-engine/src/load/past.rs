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
    pub(crate) async fn past<R, M, B, F>(&self, ask: &Ask, body: B) -> Answered<V>
    where
        R: Answer<V, M>,
        B: FnOnce() -> F,
        F: Future<Output = R>,
    {
        if ask.bypass {
            return Ok((body().await.split()?, Outcome::BYPASSED));
        }
        let alone = async { body().await.split() };
        Ok((self.alone(ask, alone).await?, Outcome::BYPASSED))
    }

    /// What `run` gives within its deadline; a panic of it is an error.
    pub(crate) async fn alone<T>(
        &self,
        ask: &Ask,
        run: impl Future<Output = Result<T, LoadError>>,
    ) -> Result<T, LoadError> {
        let deadline = self.times.with(&ask.terms).deadline;
        let late = async {
            self.runtime.sleep(deadline).await;
            let text = format!("the load took longer than its deadline of {deadline:?}");
            Err(LoadError::new(LoadErrorKind::TimedOut, text))
        };
        let ended = AssertUnwindSafe(run.or(late)).catch_unwind().await;
        ended.unwrap_or_else(|payload| Err(LoadError::from_panic(&*payload)))
    }
}
