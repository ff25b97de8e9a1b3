//! Repeating what the far store has not acknowledged.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_lite::FutureExt;
use larder_core::guard;

use super::{FarTier, Item};
use crate::event::What;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(2);

/// Repeats the queued invalidations until each is acknowledged. Then near is raised again, before
/// the item leaves: a far answer that was under way all the while falls when it is decoded.
///
/// It goes on when the cache is dropped: the promise was given to other nodes.
pub(super) fn start<V: Send + Sync + 'static>(far: &Arc<FarTier<V>>) {
    let far = Arc::clone(far);
    let runtime = Arc::clone(&far.runtime);
    runtime.spawn(Box::pin(async move {
        let mut pause = FIRST;
        loop {
            far.runtime
                .sleep(jittered(pause, far.runtime.random()))
                .await;
            pause = if far.once().await {
                FIRST
            } else {
                (pause * 2).min(LONGEST)
            };
            if far.queue.pending().is_empty() {
                far.teller.tell(What::Drained);
                return;
            }
        }
    }));
}

impl<V> FarTier<V> {
    /// Sends each item once, also after one that fails: the others may go to another server. False
    /// if one is not acknowledged.
    async fn once(&self) -> bool {
        let mut all = true;
        for (at, (item, turn)) in self.queue.pending().into_iter().enumerate() {
            let acknowledged = guard!(
                FenceUntilAcknowledged,
                self.is_acknowledged(&item, at == 0).await,
                {
                    self.queue.acknowledged(&item, turn);
                    let acknowledged = self.is_acknowledged(&item, at == 0).await;
                    if !acknowledged {
                        self.queue.add(item.clone());
                    }
                    acknowledged
                }
            );
            if !acknowledged {
                all = false;
                continue;
            }
            guard!(RaiseAtDrain, self.raise(&item), ());
            self.queue.note(&item, self.clock.now());
            self.queue.acknowledged(&item, turn);
        }
        all
    }

    /// The first goes whatever the breaker says: the drain has pauses of its own, and reads that
    /// fail would take every trial. A store that panics has acknowledged nothing.
    async fn is_acknowledged(&self, item: &Item, first: bool) -> bool {
        let sent = async {
            if first {
                self.tried(self.deadline, self.send(item)).await
            } else {
                self.within(self.deadline, self.send(item)).await
            }
        };
        matches!(AssertUnwindSafe(sent).catch_unwind().await, Ok(Ok(())))
    }
}

/// Between half of it and all of it, so that nodes do not come back in step.
fn jittered(pause: Duration, random: u64) -> Duration {
    pause / 2 + pause.mul_f64(random as f64 / u64::MAX as f64) / 2
}
