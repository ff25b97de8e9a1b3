//! Giving out what is published.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use larder_core::far::Sink;

use crate::message::{self, Heard};
use crate::tell::tell;
use crate::wire::{Ear, Wire};

/// The channels that somebody listens to.
#[derive(Default)]
pub(super) struct Channels(Mutex<HashMap<Bytes, Arc<Channel>>>);

/// Who listens to one.
#[derive(Default)]
pub(super) struct Channel {
    sinks: Mutex<Vec<Weak<dyn Sink>>>,
    /// The connection that has answered the last heartbeat; zero before the first.
    beaten: AtomicU64,
}

impl Channels {
    /// Adds a listener. The first of a channel makes the subscription; it ends some time after the
    /// last has left.
    pub(super) fn listen(
        &self,
        wire: &dyn Wire,
        name: Bytes,
        sink: Weak<dyn Sink>,
    ) -> Arc<Channel> {
        let mut channels = lock(&self.0);
        channels.retain(|other, channel| *other == name || channel.is_heard());
        if let Some(channel) = channels.get(&name) {
            lock(&channel.sinks).push(sink);
            return Arc::clone(channel);
        }
        let channel = Arc::new(Channel::default());
        lock(&channel.sinks).push(sink);
        let ear: Weak<Channel> = Arc::downgrade(&channel);
        channels.insert(name.clone(), Arc::clone(&channel));
        drop(channels);
        wire.subscribe(name, ear);
        channel
    }

    /// A heartbeat was answered over this connection. Over another than the last it tells of a loss: what
    /// the old one's server has acknowledged the new one's may never have heard of.
    pub(super) fn beat(&self, name: &Bytes, generation: Option<u64>) {
        let channel = lock(&self.0).get(name).cloned();
        if let Some((channel, generation)) = channel.zip(generation) {
            let before = channel.beaten.swap(generation, Ordering::AcqRel);
            if before != 0 && before != generation {
                channel.tell(|sink| sink.lost());
            }
        }
    }
}

impl Channel {
    fn is_heard(&self) -> bool {
        lock(&self.sinks).iter().any(|sink| sink.strong_count() > 0)
    }

    /// Tells all who still listen, under no lock: they run code of others.
    pub(super) fn tell(&self, what: impl Fn(&dyn Sink)) {
        let mut listening = lock(&self.sinks);
        listening.retain(|sink| sink.strong_count() > 0);
        let sinks: Vec<_> = listening.iter().filter_map(Weak::upgrade).collect();
        drop(listening);
        tell(sinks, what);
    }
}

impl Ear for Channel {
    fn message(&self, payload: Bytes) {
        match message::hear(&payload) {
            Heard::Change(message) => self.tell(|sink| sink.receive(message)),
            Heard::Wake(key) => self.tell(|sink| sink.wake(key)),
            Heard::Unknown => self.tell(|sink| sink.lost()),
        }
    }

    fn lost(&self) {
        self.tell(|sink| sink.lost());
    }

    /// What was published between the break and now is lost, and what was read meanwhile was not
    /// known to be.
    fn ready(&self) {
        self.tell(|sink| sink.lost());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
