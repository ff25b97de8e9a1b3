//! Messages on their way to who listens.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use larder_core::far::{Message, Sink};

/// Messages on their way to who listens, in the order of the changes behind them.
///
/// They are given out where nothing is locked, by one thread at a time: a listener that makes
/// changes of its own, or another thread's change, only adds to what that thread gives out.
#[derive(Default)]
pub(super) struct Post {
    sinks: HashMap<String, Vec<Weak<dyn Sink>>>,
    out: VecDeque<(String, Note)>,
    delivering: bool,
}

/// What listeners are told.
#[derive(Debug, Clone, Copy)]
pub(super) enum Note {
    Message(Message),
    Wake(u64),
}

/// A note, and those who are to get it.
pub(super) type Letter = (Note, Vec<Arc<dyn Sink>>);

impl Post {
    pub(super) fn listen(&mut self, cache: &str, sink: Weak<dyn Sink>) {
        let sinks = self.sinks.entry(cache.to_owned()).or_default();
        sinks.retain(|sink| sink.strong_count() > 0);
        sinks.push(sink);
    }

    pub(super) fn send(&mut self, cache: &str, note: Note) {
        if self.sinks.contains_key(cache) {
            self.out.push_back((cache.to_owned(), note));
        }
    }

    /// Whether there is something to give out and nobody who does.
    pub(super) fn claim(&mut self) -> bool {
        let claimed = !self.delivering && !self.out.is_empty();
        self.delivering |= claimed;
        claimed
    }

    /// The next that somebody is to get; where there is none the claim ends.
    pub(super) fn next(&mut self) -> Option<Letter> {
        while let Some((cache, note)) = self.out.pop_front() {
            let sinks = self.alive(&cache);
            if !sinks.is_empty() {
                return Some((note, sinks));
            }
            self.sinks.remove(&cache);
        }
        self.delivering = false;
        None
    }

    fn alive(&self, cache: &str) -> Vec<Arc<dyn Sink>> {
        let sinks = self.sinks.get(cache).into_iter().flatten();
        sinks.filter_map(Weak::upgrade).collect()
    }
}

impl Note {
    /// A listener that panics, also when it ends here, harms neither the next one nor who made the
    /// change.
    pub(super) fn give(self, sink: Arc<dyn Sink>) {
        let give = move || {
            match self {
                Self::Message(message) => sink.receive(message),
                Self::Wake(key) => sink.wake(key),
            }
            drop(sink);
        };
        let _ = catch_unwind(AssertUnwindSafe(give));
    }
}
