//! Waiting until replicas have a change.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use event_listener::Event;
use futures_lite::FutureExt;
use larder_core::Runtime;
use larder_core::far::FarError;

use super::{Redis, WaitRefused};
use crate::args;
use crate::bounded::bounded;
use crate::replies::{Replies, Value};
use crate::wire::{Request, Wire};

impl Redis {
    /// Waits after each change (invalidate, expire, put, tag, clear) until `replicas` have it, for at
    /// most `time` (in whole milliseconds): a replica that becomes the master then still knows of it.
    /// If too few have it in time, or that cannot be known, the change is done all the same, and
    /// counted ([`Counts::unreplicated`](super::Counts::unreplicated)). It counts for all clones.
    ///
    /// `wire` is another than the store's, to the same master: a wait holds up what is behind it.
    /// `time` has to be shorter than its `patience`, or the wait passes for a server that is silent;
    /// and, with the change itself, than the `far_deadline` of the caches, or they take the change for
    /// lost and repeat it for as long as a replica is away.
    ///
    /// A small key of the prefix is written over `wire` and waited for: replication is one ordered
    /// stream, so whoever has that has all that the same master took before. Afterwards the store's own
    /// connection must find the key where it sent the change, or the two lead to different masters and
    /// nothing is known. So a wait is two round trips beside the replicas' own time, and one serves all
    /// changes that came before it began.
    ///
    /// Dropping is safe: the change is done by then, and the wait goes on for others.
    ///
    /// # Errors
    /// On a cluster, without a replica or a millisecond to wait for, over the store's own wire, and
    /// the second time.
    pub fn wait_for_replicas(
        self,
        wire: Arc<dyn Wire>,
        replicas: u32,
        time: Duration,
    ) -> Result<Self, WaitRefused> {
        if self.is_cluster() || wire.is_cluster() {
            return Err(WaitRefused::Cluster);
        }
        if replicas == 0 || time < Duration::from_millis(1) {
            return Err(WaitRefused::Zero);
        }
        if Arc::ptr_eq(&self.0.wire, &wire) {
            return Err(WaitRefused::SameWire);
        }
        let replicas = Replicas {
            changes: Arc::clone(&self.0.wire),
            waits: wire,
            key: self.names("").waited(self.0.runtime.random()),
            runtime: Arc::clone(&self.0.runtime),
            count: replicas,
            time,
            rounds: Mutex::default(),
        };
        let set = self.0.replicas.set(Arc::new(replicas));
        set.map(|()| self).map_err(|_| WaitRefused::Twice)
    }

    /// Runs a change, and waits after it if that was asked for.
    pub(super) async fn replicated<T>(
        &self,
        change: impl Future<Output = Result<T, FarError>>,
    ) -> Result<T, FarError> {
        let Some(replicas) = self.0.replicas.get() else {
            return change.await;
        };
        let over = replicas.changes.generation();
        let done = change.await?;
        if !replicas.have(over).await {
            self.0.counters.unreplicated();
        }
        Ok(done)
    }
}

/// Waits in rounds, over a wire of its own.
pub(super) struct Replicas {
    /// The store's own.
    changes: Arc<dyn Wire>,
    waits: Arc<dyn Wire>,
    runtime: Arc<dyn Runtime>,
    /// Written by this store alone, or the marks of others would hide its own.
    key: Bytes,
    count: u32,
    time: Duration,
    rounds: Mutex<Rounds>,
}

#[derive(Default)]
struct Rounds {
    /// Gone with the task that runs them, however that ends.
    running: Weak<()>,
    /// Not begun: whoever comes joins it, for its mark is later than what they changed.
    next: Option<Arc<Round>>,
}

#[derive(Default)]
struct Round {
    /// The connection whose changes enough replicas have; nothing if there is none.
    seen: OnceLock<Option<u64>>,
    over: Event,
}

impl Replicas {
    /// Whether enough replicas have in time what was changed before this was called, over the
    /// connection of this number.
    async fn have(self: &Arc<Self>, over: Option<u64>) -> bool {
        // What was sent over two connections may lie in two servers.
        if over.is_none() || over != self.changes.generation() {
            return false;
        }
        let round = self.join();
        let seen = bounded(&*self.runtime, self.time, round.end()).await;
        seen.flatten() == over
    }

    /// The next round. It runs as a task: whoever leaves takes it from nobody.
    fn join(self: &Arc<Self>) -> Arc<Round> {
        let mut rounds = self.lock();
        let round = Arc::clone(rounds.next.get_or_insert_default());
        if rounds.running.strong_count() == 0 {
            let running = Arc::new(());
            rounds.running = Arc::downgrade(&running);
            drop(rounds);
            let replicas = Arc::clone(self);
            let runs = async move { replicas.run(running).await };
            self.runtime.spawn(Box::pin(runs));
        }
        round
    }

    /// Runs rounds until nobody waits for one. One that panics or hangs is over like any other; the
    /// server itself ends a wait after `time`.
    async fn run(&self, _running: Arc<()>) {
        while let Some(round) = self.begin() {
            let asked = bounded(&*self.runtime, self.twice(), self.ask());
            let asked = AssertUnwindSafe(asked).catch_unwind().await;
            let asked = asked.ok().flatten().and_then(Result::ok);
            let _ = round.seen.set(asked.flatten());
            round.over.notify(usize::MAX);
        }
    }

    fn begin(&self) -> Option<Arc<Round>> {
        let mut rounds = self.lock();
        let next = rounds.next.take();
        if next.is_none() {
            rounds.running = Weak::new();
        }
        next
    }

    /// The connection whose changes enough replicas have by now.
    async fn ask(&self) -> Result<Option<u64>, FarError> {
        let mark = args::number(self.runtime.random());
        let before = self.changes.generation();
        let found = self.mark(&mark).await? && self.finds(&mark).await?;
        let same = before == self.changes.generation();
        Ok(before.filter(|_| found && same))
    }

    /// Writes the mark and waits for it: a server counts only what the connection that waits wrote.
    async fn mark(&self, mark: &Bytes) -> Result<bool, FarError> {
        let life = args::millis(self.twice().saturating_add(Duration::from_secs(1)));
        let set = vec![self.key.clone(), mark.clone(), args::word("PX"), life];
        let wait = vec![args::number(u64::from(self.count)), args::millis(self.time)];
        let batch = vec![
            Request::command("SET", set),
            Request::on_master(0, "WAIT", wait),
        ];
        let mut replies = Replies::new(self.waits.send(batch).await?);
        replies.done()?;
        Ok(replies.int()? >= i64::from(self.count))
    }

    /// Whether the mark lies where changes go. That is to be a master still: a replica has it too, and
    /// takes off nothing.
    async fn finds(&self, mark: &Bytes) -> Result<bool, FarError> {
        let requests = ["GET", "UNLINK"].map(|name| Request::command(name, vec![self.key.clone()]));
        let mut replies = Replies::new(self.changes.send(requests.to_vec()).await?);
        let found = replies.value()?;
        replies.int()?;
        Ok(found == Value::Bytes(mark.clone()))
    }

    fn twice(&self) -> Duration {
        self.time.saturating_mul(2)
    }

    fn lock(&self) -> MutexGuard<'_, Rounds> {
        self.rounds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Round {
    async fn end(&self) -> Option<u64> {
        loop {
            let over = self.over.listen();
            if let Some(seen) = self.seen.get() {
                return *seen;
            }
            over.await;
        }
    }
}
