//! What a life hears of the others.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use larder_core::Runtime;
use larder_core::far::{Message, Sink};

use super::Line;
use super::overheard::named;

/// The caches of a life that listen.
#[derive(Default)]
pub(super) struct Ears(Mutex<Vec<Arc<Ear>>>);

/// A cache that listens, behind a line.
pub(super) struct Ear {
    line: Arc<Line>,
    sink: Weak<dyn Sink>,
}

impl Ears {
    pub(super) fn add(&self, line: &Arc<Line>, sink: Weak<dyn Sink>) -> Weak<dyn Sink> {
        let line = Arc::clone(line);
        let ear = Arc::new(Ear { line, sink });
        let weak: Weak<Ear> = Arc::downgrade(&ear);
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(ear);
        weak
    }

    /// Tells all that messages may have been lost.
    pub(super) fn lost(&self) {
        let ears = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for ear in ears.iter() {
            ear.lost();
        }
    }
}

impl Sink for Ear {
    /// What takes no time arrives at once, unless the process is paused.
    fn receive(&self, message: Message) {
        let line = &self.line;
        if let Some(item) = named(message.change) {
            line.history.published(message.node, message.number, item);
        }
        for delay in line.message() {
            if delay.is_zero() && !line.process.is_paused() {
                give(line, &self.sink, message);
                continue;
            }
            let (line, sink) = (Arc::clone(line), Weak::clone(&self.sink));
            let process = line.process.clone();
            process.spawn(Box::pin(async move {
                line.process.sleep(delay).await;
                give(&line, &sink, message);
            }));
        }
    }

    /// Wakes go the way of messages, where anybody waits for them.
    fn wake(&self, key: u64) {
        if !self.line.leases {
            return;
        }
        for delay in self.line.message() {
            let (line, sink) = (Arc::clone(&self.line), Weak::clone(&self.sink));
            let process = line.process.clone();
            process.spawn(Box::pin(async move {
                line.process.sleep(delay).await;
                if let Some(sink) = sink.upgrade() {
                    sink.wake(key);
                }
            }));
        }
    }

    fn lost(&self) {
        let (line, sink) = (Arc::clone(&self.line), Weak::clone(&self.sink));
        let process = line.process.clone();
        process.spawn(Box::pin(async move {
            if let Some(sink) = sink.upgrade() {
                line.loses();
                sink.lost();
            }
        }));
    }
}

fn give(line: &Line, sink: &Weak<dyn Sink>, message: Message) {
    if let Some(sink) = sink.upgrade() {
        sink.receive(message);
        line.history.heard(line.life, message.node, message.number);
    }
}
