//! The far store that caches share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use larder_core::far::{Abilities, Bus, Guarded};
use larder_core::{AnyStore, Runtime, Store, Ttl};

use super::LarderBuilder;
use crate::build_error::BuildError;
use crate::far::Queue;
use crate::far::Unguarded;

/// The far store of a larder, and how its caches keep up with other nodes.
pub(crate) struct FarShare {
    /// By cache: a queue outlives its cache until it is drained, and a cache built anew under the
    /// name stands behind the same fence.
    queues: Mutex<BTreeMap<Arc<str>, Weak<Queue>>>,
    pub(crate) store: Arc<dyn Guarded>,
    pub(crate) bus: Option<Arc<dyn Bus>>,
    pub(crate) heartbeat: Duration,
    pub(crate) blind: Duration,
    /// For how long what was acknowledged is sent again after a reconnect.
    pub(crate) requeue: Option<Duration>,
}

#[derive(Debug, Default)]
pub(super) struct FarSettings {
    guarded: Option<Abilities>,
    plain: Option<AnyStore>,
    heartbeat: Option<Duration>,
    blind: Option<Duration>,
    requeue: Option<Duration>,
}

impl FarSettings {
    pub(super) fn build(self, runtime: &Arc<dyn Runtime>) -> Result<Option<FarShare>, BuildError> {
        let (heartbeat, blind) = self.times()?;
        let requeue = self.requeue.map(|window| checked("requeue", window));
        let requeue = requeue.transpose()?;
        if self.guarded.is_some() && self.plain.is_some() {
            let text = "stands in the place of `far`: leave one of them out";
            return Err(BuildError::new("far_unguarded", text));
        }
        let plain = |store| Unguarded::new(store, Arc::clone(runtime));
        let plain = |store| Abilities::default().guarded(&Arc::new(plain(store)));
        let Some(abilities) = self.guarded.or_else(|| self.plain.map(plain)) else {
            let said = self.heartbeat.map(|_| "heartbeat");
            let said = said.or(self.blind.map(|_| "blind_ttl"));
            let said = said.or(self.requeue.map(|_| "requeue"));
            let text = "says nothing without a far store: add `far`";
            return said.map_or(Ok(None), |setting| Err(BuildError::new(setting, text)));
        };
        let missing = "is given a store that cannot guard: it has no `Guarded` among its \
                       abilities (`far_unguarded` takes it, and promises less)";
        let store = abilities
            .guarded
            .ok_or_else(|| BuildError::new("far", missing))?;
        if self.heartbeat.is_some() && abilities.bus.is_none() {
            let text = "needs a store that is a bus: this one has no `Bus` among its abilities, \
                        and the other nodes are never heard";
            return Err(BuildError::new("heartbeat", text));
        }
        if self.requeue.is_some() && abilities.bus.is_none() {
            let text = "needs a store that is a bus: this one has no `Bus` among its abilities, \
                        and says nothing of a reconnect";
            return Err(BuildError::new("requeue", text));
        }
        Ok(Some(FarShare {
            queues: Mutex::default(),
            requeue,
            store,
            bus: abilities.bus,
            heartbeat,
            blind,
        }))
    }

    /// How often the number is asked for, and how long a node can do without.
    fn times(&self) -> Result<(Duration, Duration), BuildError> {
        let heartbeat = self.heartbeat.unwrap_or(Duration::from_secs(1));
        let heartbeat = checked("heartbeat", heartbeat)?;
        let blind = self.blind.unwrap_or(Duration::from_secs(5));
        let blind = checked("blind_ttl", blind)?;
        if heartbeat < blind || !self.is_heard() {
            return Ok((heartbeat, blind));
        }
        let (setting, text) = match self.heartbeat {
            Some(_) => (
                "heartbeat",
                "must be shorter than `blind_ttl`, 5 s unless set",
            ),
            None => (
                "blind_ttl",
                "must be longer than `heartbeat`, 1 s unless set",
            ),
        };
        let why = "else a node is blind until each of them";
        Err(BuildError::new(setting, format!("{text}: {why}")))
    }

    /// Whether there is a heartbeat.
    fn is_heard(&self) -> bool {
        let bus = |abilities: &Abilities| abilities.bus.is_some();
        self.guarded.as_ref().is_some_and(bus)
    }
}

fn checked(setting: &'static str, duration: Duration) -> Result<Duration, BuildError> {
    let ttl = Ttl::new(duration).map_err(|error| BuildError::new(setting, error.to_string()))?;
    Ok(ttl.duration())
}

impl FarShare {
    /// The queue of the cache of this name.
    pub(crate) fn queue(&self, name: &Arc<str>, most: usize) -> Arc<Queue> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = queues.get(name).and_then(Weak::upgrade) {
            return queue;
        }
        queues.retain(|_, queue| queue.strong_count() > 0);
        let queue = Arc::new(Queue::new(most).remembering(self.requeue));
        queues.insert(Arc::clone(name), Arc::downgrade(&queue));
        queue
    }
}

impl LarderBuilder {
    /// The far tier of the caches that ask for one (see
    /// `CacheBuilder::far`): a store that is
    /// [`Guarded`](larder_core::far::Guarded), and also the
    /// [`Bus`](larder_core::far::Bus) between nodes if it can be.
    ///
    /// Without a bus a node never hears of the others: it uses what it holds near no longer than
    /// [`blind_ttl`](Self::blind_ttl) after its load began. For a store that cannot guard there is
    /// [`far_unguarded`](Self::far_unguarded).
    pub fn far(mut self, store: impl Store) -> Self {
        self.far.guarded = Some(Arc::new(store).abilities());
        self
    }

    /// The far tier over a plain store that cannot guard (see [`Unguarded`]), in the place of
    /// [`far`](Self::far). It promises less.
    ///
    /// There, to compare a token and to put what was loaded under it are two commands, and no node
    /// hears of another. No answer is invented or taken for another's, and what the store loses is
    /// lost; but:
    ///
    /// - **Once an invalidation or a put has returned, older values are not served.** They are, if
    ///   it lands between the compare and the put of an older load, put or expire of the same key,
    ///   on whatever node: that undoes it. All nodes then serve the old value (after an expire: fall
    ///   back to it) until its ttl is over or the next change of the key. The window is a round
    ///   trip, and longer for a command that was given up at its deadline and arrives late.
    /// - **The same for a tag and for `clear`.** They are undone only by a store that prolongs their
    ///   barrier, about once in one and a half ttls; but then for all values under it, each until
    ///   its ttl is over.
    /// - **Other nodes see a change once its message arrives.** There are no messages: they see it
    ///   up to [`blind_ttl`](Self::blind_ttl) later. No node uses a near value longer than that
    ///   after its load began; then it asks the store.
    /// - **A value ends with its ttl.** One that is expired, or beside which another version of the
    ///   program stores its own, is kept longer by the time that the store takes for it.
    ///
    /// All else holds: outside of the window a load, put or expire that an invalidation overtook is
    /// refused, also for a tag that only the value reveals; a barrier that is lost kills and never
    /// revives; a store that fails is as with [`far`](Self::far).
    ///
    /// It is for values that may be old for a ttl once in a long while, as copies of what changes
    /// anyway, and not for prices, permissions, or what must be gone when it is deleted. Nobody else
    /// may write under the caches' names in the store.
    ///
    /// ```
    /// # fn build(files: impl larder_core::Store) -> Result<(), larder_engine::BuildError> {
    /// use larder_engine::Larder;
    /// let larder = Larder::builder().far_unguarded(files).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn far_unguarded(mut self, store: impl Store) -> Self {
        self.far.plain = Some(AnyStore::new(store));
        self
    }

    /// How often each cache with a far tier asks for the number of its last message; 1 s unless
    /// set. A lost message is noticed after two. Needs a far store that is a bus, and is shorter than
    /// [`blind_ttl`](Self::blind_ttl).
    pub fn heartbeat(mut self, every: Duration) -> Self {
        self.far.heartbeat = Some(every);
        self
    }

    /// For how long changes that the far store has acknowledged are remembered, to be sent again after a
    /// reconnect; off unless set, 10 s is a good start. Needs a far store that is a bus.
    ///
    /// A server that fails over to a replica may forget what it had acknowledged, and old values come
    /// back. With this each node queues its own changes of this time again when it is told that it may
    /// have missed messages, or when a heartbeat's number is behind what it has heard: until the server
    /// has acknowledged them anew, it uses no far answer that they name. A put is repeated as an
    /// invalidation, and so is an expiry. It narrows what is lost to what a node that died had changed.
    ///
    /// The price: each reconnect costs these keys a load, whether or not anything was lost. A cache
    /// remembers as many changes as its [`queue`](crate::CacheBuilder::queue) holds; more of them within
    /// the time are one clear.
    pub fn requeue(mut self, window: Duration) -> Self {
        self.far.requeue = Some(window);
        self
    }

    /// How long a node uses what it holds near, and joins running loads, after the last good
    /// heartbeat; 5 s unless set. It bounds how long a node that was cut off, or paused, can serve
    /// what other nodes have invalidated. Needs a far store.
    pub fn blind_ttl(mut self, ttl: Duration) -> Self {
        self.far.blind = Some(ttl);
        self
    }
}
