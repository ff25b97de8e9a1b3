//! From where things happen to those who listen.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use event_listener::Event as Told;

use crate::event::{Event, What};
use crate::log;
use crate::stats::Count;

/// Those who listen to the caches of a larder.
#[derive(Default)]
pub(crate) struct Hub(Mutex<Vec<Arc<Listener>>>);

impl Hub {
    pub(super) fn add(&self, listener: &Arc<Listener>) {
        self.lock().push(Arc::clone(listener));
    }

    pub(super) fn remove(&self, listener: &Arc<Listener>) {
        self.lock().retain(|one| !Arc::ptr_eq(one, listener));
    }

    pub(crate) fn is_heard(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Wakers are others' code, so nobody is woken under the lock.
    fn tell(&self, event: &Event) {
        let listeners = self.lock().clone();
        listeners.iter().for_each(|one| one.give(event.clone()));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Listener>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One subscription's bounded queue.
pub(super) struct Listener {
    room: usize,
    events: Mutex<VecDeque<Event>>,
    pub(super) dropped: Count,
    pub(super) told: Told,
}

impl Listener {
    pub(super) fn new(room: usize) -> Self {
        Self {
            room,
            events: Mutex::default(),
            dropped: Count::default(),
            told: Told::new(),
        }
    }

    fn give(&self, event: Event) {
        let mut events = self.lock();
        if events.len() >= self.room {
            drop(events);
            return self.dropped.add();
        }
        events.push_back(event);
        drop(events);
        self.told.notify(usize::MAX);
    }

    pub(super) fn take(&self) -> Option<Event> {
        self.lock().pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells what happens in one cache.
pub(crate) struct Teller {
    cache: Arc<str>,
    hub: Arc<Hub>,
    /// Whether anybody listens.
    watched: AtomicBool,
}

impl Teller {
    pub(crate) fn new(cache: Arc<str>, hub: Arc<Hub>) -> Self {
        let watched = AtomicBool::new(false);
        Self {
            cache,
            hub,
            watched,
        }
    }

    pub(crate) fn cache(&self) -> &Arc<str> {
        &self.cache
    }

    pub(crate) fn watch(&self, watched: bool) {
        self.watched.store(watched, Ordering::Release);
    }

    pub(crate) fn tell(&self, what: What) {
        log::say(&self.cache, &what);
        if self.watched.load(Ordering::Acquire) {
            self.pass_on(what);
        }
    }

    #[cold]
    fn pass_on(&self, what: What) {
        let cache = Arc::clone(&self.cache);
        self.hub.tell(&Event { cache, what });
    }
}
