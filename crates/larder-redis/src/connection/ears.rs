//! Who hears what.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use event_listener::Event;

use super::topic::Topic;
use crate::wire::Ear;

/// Who hears what. Ears that are gone are dropped when they would be told something.
#[derive(Default)]
pub(super) struct Ears {
    state: Mutex<State>,
    changed: Event,
}

#[derive(Default)]
struct State {
    all: HashMap<Topic, Vec<Weak<dyn Ear>>>,
    /// They have not been told yet that they hear.
    new: Vec<(Topic, Weak<dyn Ear>)>,
    closed: bool,
}

impl Ears {
    pub(super) fn add(&self, topic: Topic, ear: Weak<dyn Ear>) {
        let mut state = self.lock();
        let ears = state.all.entry(topic.clone()).or_default();
        ears.push(Weak::clone(&ear));
        state.new.push((topic, ear));
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
        self.lock().new.clear();
        self.wanted_of(Topic::channel)
    }

    /// All prefixes of which somebody hears.
    pub(super) fn prefixes(&self) -> Vec<Bytes> {
        self.wanted_of(Topic::prefix)
    }

    fn wanted_of(&self, kind: impl Fn(&Topic) -> Option<&Bytes>) -> Vec<Bytes> {
        let mut state = self.lock();
        state.all.retain(|_, ears| {
            ears.retain(|ear| ear.strong_count() > 0);
            !ears.is_empty()
        });
        state.all.keys().filter_map(kind).cloned().collect()
    }

    /// Who is new.
    pub(super) fn take_new(&self) -> Vec<(Topic, Weak<dyn Ear>)> {
        std::mem::take(&mut self.lock().new)
    }

    pub(super) fn of(&self, topic: &Topic) -> Vec<Arc<dyn Ear>> {
        let mut state = self.lock();
        let Some(ears) = state.all.get_mut(topic) else {
            return Vec::new();
        };
        ears.retain(|ear| ear.strong_count() > 0);
        ears.iter().filter_map(Weak::upgrade).collect()
    }

    /// Those of each prefix that `is`.
    pub(super) fn of_prefixes(&self, is: impl Fn(&Bytes) -> bool) -> Vec<Arc<dyn Ear>> {
        let state = self.lock();
        let all = state.all.iter();
        let all = all.filter(|(topic, _)| topic.prefix().is_some_and(&is));
        let ears = all.flat_map(|(_, ears)| ears);
        ears.filter_map(Weak::upgrade).collect()
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
