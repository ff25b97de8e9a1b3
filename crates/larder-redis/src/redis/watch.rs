//! Hearing what others than larder write.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use larder_core::BoxFuture;
use larder_core::far::{FarError, Space};

use super::channel::Channel;
use super::own::Own;
use super::{Inner, MOST, Redis};
use crate::args;
use crate::replies::Value;
use crate::wire::{Ear, Request};

/// The caches to whose entries others write, by what the names of the entries begin with.
#[derive(Default)]
pub(super) struct Watches(Mutex<HashMap<Bytes, Arc<Watch>>>);

/// Tells who listens to a cache which of its keys were written, unless this node has.
///
/// A server says which key it was and not who. What may be this node's own is looked at: if the entry
/// still begins with a token that this node gave it, nobody else was there.
pub(super) struct Watch {
    prefix: Bytes,
    redis: Weak<Inner>,
    /// Who listens to the cache.
    channel: Weak<Channel>,
    own: Own,
    /// Whether the server tells.
    stands: AtomicBool,
    doubts: Mutex<Doubts>,
}

#[derive(Default)]
struct Doubts {
    waiting: Vec<Doubt>,
    /// Somebody looks at what waits.
    asking: bool,
}

/// A write that may have been this node's: the name of the entry, and the digest of its key.
type Doubt = (Bytes, u64);

impl Watches {
    pub(super) fn start(&self, redis: &Redis, prefix: Bytes, channel: &Arc<Channel>) {
        let mut watches = lock(&self.0);
        watches.retain(|_, watch| watch.channel.strong_count() > 0);
        if watches.contains_key(&prefix) {
            return;
        }
        let watch = Arc::new(Watch {
            prefix: prefix.clone(),
            redis: Arc::downgrade(&redis.0),
            channel: Arc::downgrade(channel),
            own: Own::default(),
            stands: AtomicBool::new(false),
            doubts: Mutex::default(),
        });
        let ear: Weak<Watch> = Arc::downgrade(&watch);
        watches.insert(prefix.clone(), watch);
        drop(watches);
        redis.0.wire.track(prefix, ear);
    }

    pub(super) fn of(&self, prefix: &[u8]) -> Option<Arc<Watch>> {
        lock(&self.0).get(prefix).cloned()
    }
}

impl Redis {
    /// The watch of a space in which others write.
    pub(super) fn watch(&self, space: &Space) -> Option<Arc<Watch>> {
        let watched = space.has_foreign_writers();
        let prefix = watched.then(|| self.names_of(space).entry(b""));
        prefix.and_then(|prefix| self.0.watches.of(&prefix))
    }
}

impl Watch {
    /// What this node writes to entries.
    pub(super) const fn own(&self) -> &Own {
        &self.own
    }

    pub(super) fn stands(&self) -> bool {
        self.stands.load(Ordering::Acquire)
    }

    /// The digest of the key of an entry of this name.
    pub(super) fn key(&self, name: &[u8]) -> u64 {
        larder_core::digest(name.strip_prefix(&*self.prefix).unwrap_or(name))
    }

    fn touched(&self, redis: &Inner, key: u64) {
        redis.counters.touched();
        if let Some(channel) = self.channel.upgrade() {
            channel.tell(|sink| sink.touched(key));
        }
    }

    fn doubt(self: Arc<Self>, redis: &Arc<Inner>, doubt: Doubt) {
        let mut doubts = lock(&self.doubts);
        doubts.waiting.push(doubt);
        if !std::mem::replace(&mut doubts.asking, true) {
            drop(doubts);
            let redis = Arc::clone(redis);
            redis.runtime.clone().spawn(self.ask(Redis(redis)));
        }
    }

    /// Looks at what waits, until nothing does.
    fn ask(self: Arc<Self>, redis: Redis) -> BoxFuture<'static, ()> {
        let mut looks = Looks::new(self);
        Box::pin(async move {
            while looks.next() {
                let heads = redis.noted(redis.heads(&looks.some).await);
                let mut heads = heads.unwrap_or_default().into_iter();
                for (_, key) in std::mem::take(&mut looks.some) {
                    let head = heads.next();
                    if head.is_some_and(|head| looks.watch.own.is(key, &head)) {
                        redis.0.counters.own_write();
                    } else {
                        looks.watch.touched(&redis.0, key);
                    }
                }
            }
        })
    }
}

/// Who looks at what is in doubt. Dropped before the end, it takes all of that for others' writes.
struct Looks {
    watch: Arc<Watch>,
    /// What it looks at now.
    some: Vec<Doubt>,
    ended: bool,
}

impl Looks {
    fn new(watch: Arc<Watch>) -> Self {
        Self {
            watch,
            some: Vec::new(),
            ended: false,
        }
    }

    /// Takes some of what waits; whether there was any.
    fn next(&mut self) -> bool {
        let mut doubts = lock(&self.watch.doubts);
        let some = doubts.waiting.len().min(MOST);
        self.some.extend(doubts.waiting.drain(..some));
        self.ended = some == 0;
        doubts.asking = !self.ended;
        !self.ended
    }
}

impl Drop for Looks {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut doubts = lock(&self.watch.doubts);
        doubts.asking = false;
        self.some.append(&mut doubts.waiting);
        drop(doubts);
        if let Some(redis) = self.watch.redis.upgrade() {
            let some = std::mem::take(&mut self.some);
            some.iter()
                .for_each(|(_, key)| self.watch.touched(&redis, *key));
        }
    }
}

impl Redis {
    /// What each entry begins with; nothing if it is missing, or of another type.
    async fn heads(&self, doubts: &[Doubt]) -> Result<Vec<Bytes>, FarError> {
        let head = |(name, _): &Doubt| {
            let args = vec![name.clone(), args::number(0), args::number(15)];
            Request::command("GETRANGE", args)
        };
        let mut replies = self.ask(doubts.iter().map(head).collect()).await?;
        let head = |_| match replies.value()? {
            Value::Bytes(head) => Ok(head),
            Value::None | Value::Foreign => Ok(Bytes::new()),
        };
        doubts.iter().map(head).collect()
    }
}

impl Ear for Watch {
    fn message(&self, name: Bytes) {
        let Some(redis) = self.redis.upgrade() else {
            return;
        };
        let key = self.key(&name);
        match (self.own.told(key), redis.watches.of(&self.prefix)) {
            (true, Some(watch)) => watch.doubt(&redis, (name, key)),
            _ => self.touched(&redis, key),
        }
    }

    fn lost(&self) {
        self.stands.store(false, Ordering::Release);
        if let Some(channel) = self.channel.upgrade() {
            channel.tell(|sink| sink.lost());
        }
    }

    /// What was written between the break and now was not told.
    fn ready(&self) {
        self.stands.store(true, Ordering::Release);
        if let Some(channel) = self.channel.upgrade() {
            channel.tell(|sink| sink.lost());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
