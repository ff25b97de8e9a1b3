//! Who hears which channel.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use event_listener::Event;

use crate::wire::Ear;

/// Who hears which channel. Ears that are gone are dropped when they would be told something.
#[derive(Default)]
pub(super) struct Ears {
    state: Mutex<State>,
    changed: Event,
}

#[derive(Default)]
struct State {
    all: HashMap<Bytes, Vec<Weak<dyn Ear>>>,
    /// They have not been told yet that they hear.
    new: Vec<(Bytes, Weak<dyn Ear>)>,
    closed: bool,
}

impl Ears {
    pub(super) fn add(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        let mut state = self.lock();
        let ears = state.all.entry(channel.clone()).or_default();
        ears.push(Weak::clone(&ear));
        state.new.push((channel, ear));
        drop(state);
        self.changed.notify(usize::MAX);
    }

    /// Ends when there is somebody to hear, or is not any more wanted.
    pub(super) async fn wanted(&self) {
        self.until(|state| !state.all.is_empty()).await;
    }

    /// Ends when somebody is new.
    pub(super) async fn news(&self) {
        self.until(|state| !state.new.is_empty()).await;
    }

    pub(super) async fn closed(&self) {
        self.until(|state| state.closed).await;
    }

    async fn until(&self, is: impl Fn(&State) -> bool) {
        loop {
            let changed = self.changed.listen();
            if is(&self.lock()) {
                return;
            }
            changed.await;
        }
    }

    /// All channels that somebody hears. Nobody is new any more.
    pub(super) fn channels(&self) -> Vec<Bytes> {
        let mut state = self.lock();
        state.new.clear();
        state.all.retain(|_, ears| {
            ears.retain(|ear| ear.strong_count() > 0);
            !ears.is_empty()
        });
        state.all.keys().cloned().collect()
    }

    /// Who is new.
    pub(super) fn take_new(&self) -> Vec<(Bytes, Weak<dyn Ear>)> {
        std::mem::take(&mut self.lock().new)
    }

    pub(super) fn of(&self, channel: &[u8]) -> Vec<Arc<dyn Ear>> {
        let mut state = self.lock();
        let Some(ears) = state.all.get_mut(channel) else {
            return Vec::new();
        };
        ears.retain(|ear| ear.strong_count() > 0);
        ears.iter().filter_map(Weak::upgrade).collect()
    }

    pub(super) fn all(&self) -> Vec<Arc<dyn Ear>> {
        let state = self.lock();
        let ears = state.all.values().flatten();
        ears.filter_map(Weak::upgrade).collect()
    }

    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify(usize::MAX);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
