//! One load for all nodes: waiting for the one that another node runs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use event_listener::{Event, EventListener};
use futures_lite::FutureExt;
use larder_core::far::Change;
use larder_core::{Moment, guard};

use super::{Claim, FarTier};
use crate::event::What;

/// For how long a load of another node is waited for, and who waits.
pub(crate) struct Lease {
    time: Duration,
    wakes: Arc<Wakes>,
}

impl Lease {
    pub(crate) fn new(time: Duration) -> Self {
        let wakes = Arc::default();
        Self { time, wakes }
    }

    pub(crate) fn wakes(&self) -> &Arc<Wakes> {
        &self.wakes
    }

    /// The end of the lease of who held it first at `from`.
    pub(super) fn ends(&self, from: Moment) -> Moment {
        from.after(self.time)
    }

    /// Until when a load waits that has found another's at `now`: half of its own time is left to
    /// its source.
    pub(crate) fn until(&self, now: Moment, end: Moment) -> Moment {
        let most = self.time.min(end.since(now) / 2);
        guard!(LeaseEnds, now.after(most), Moment::MAX)
    }

    /// To be called before the far tier is read: what ends between the read and the wait is heard.
    pub(crate) fn listen(&self, name: &Bytes) -> Heard {
        self.wakes.listen(larder_core::digest(name))
    }
}

/// Who waits for loads of other nodes, by the digests of their keys.
#[derive(Default)]
pub(crate) struct Wakes(Mutex<BTreeMap<u64, Arc<Event>>>);

impl Wakes {
    fn listen(self: &Arc<Self>, key: u64) -> Heard {
        let event = Arc::clone(self.lock().entry(key).or_default());
        Heard {
            listener: event.listen(),
            event: Some(event),
            key,
            wakes: Arc::clone(self),
        }
    }

    /// A load of the key has ended on some node.
    pub(crate) fn wake(&self, key: u64) {
        if let Some(event) = self.lock().get(&key) {
            event.notify(usize::MAX);
        }
    }

    /// Loads of any key may have ended.
    pub(crate) fn wake_all(&self) {
        for event in self.lock().values() {
            event.notify(usize::MAX);
        }
    }

    /// What was changed is not loaded any more, or not for all.
    pub(crate) fn changed(&self, change: Change) {
        match change {
            Change::Key(key) | Change::Expired(key) => self.wake(key),
            Change::Tag(_) | Change::All => self.wake_all(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Event>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is heard of the loads of a key since this was made.
pub(crate) struct Heard {
    listener: EventListener,
    event: Option<Arc<Event>>,
    key: u64,
    wakes: Arc<Wakes>,
}

impl Heard {
    async fn wait(&mut self) {
        (&mut self.listener).await;
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        let mut waiting = self.wakes.lock();
        self.event = None;
        if waiting
            .get(&self.key)
            .is_some_and(|event| Arc::strong_count(event) == 1)
        {
            waiting.remove(&self.key);
        }
    }
}

impl<V> FarTier<V> {
    /// Waits until loads of other nodes have ended, but not past `until`.
    pub(crate) async fn wait_for(&self, heard: impl IntoIterator<Item = Heard>, until: Moment) {
        let woken = async {
            for mut heard in heard {
                heard.wait().await;
            }
        };
        let left = until.since(self.clock.now());
        woken.or(self.runtime.sleep(left)).await;
    }

    /// Counts loads that begin to wait.
    pub(crate) fn waits(&self) {
        self.counts.waited.add();
        self.teller.tell(What::Waited);
    }

    /// Counts a load that has waited to the end of the lease.
    pub(crate) fn lapses(&self) {
        self.counts.lapsed.add();
        self.teller.tell(What::Lapsed);
    }

    /// Whether others may have taken over what was claimed: then it is not for this load to let
    /// go of.
    pub(super) fn is_over(&self, claim: &Claim) -> bool {
        let over = |lease: &Lease| self.clock.now() >= lease.ends(claim.sent);
        guard!(LeaseLetGo, self.lease.as_ref().is_some_and(over), false)
    }
}

/// The claim of a load while its source runs. Dropped with the load, it lets go of the lease, so
/// that no other node waits for who does not load any more.
pub(crate) struct Hold<V: Send + Sync + 'static> {
    far: Option<Arc<FarTier<V>>>,
    name: Bytes,
    claim: Option<Claim>,
}

impl<V: Send + Sync + 'static> Hold<V> {
    pub(crate) fn new(far: Option<&Arc<FarTier<V>>>, name: &Bytes, claim: Option<Claim>) -> Self {
        Self {
            far: far.filter(|far| far.lease.is_some()).cloned(),
            name: name.clone(),
            claim,
        }
    }

    /// The source has ended: what becomes of the claim is decided by what it gave.
    pub(crate) fn over(mut self) -> Option<Claim> {
        self.claim.take()
    }
}

impl<V: Send + Sync + 'static> Drop for Hold<V> {
    fn drop(&mut self) {
        let (Some(far), Some(claim)) = (self.far.take(), self.claim.take()) else {
            return;
        };
        let name = self.name.clone();
        let runtime = Arc::clone(&far.runtime);
        runtime.spawn(Box::pin(async move { far.let_go(&name, &claim).await }));
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lease").field(&self.time).finish()
    }
}
