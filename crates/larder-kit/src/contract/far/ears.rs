//! Who listens, and keeps what it hears.

use std::sync::{Arc, Mutex, Weak};

use larder_core::far::{Change, Message, Sink, Space};

use super::rig::Rig;
use crate::lock;

/// Who listens, and keeps what it hears.
#[derive(Default)]
pub(super) struct Ears {
    messages: Mutex<Vec<Message>>,
    wakes: Mutex<Vec<u64>>,
}

impl Ears {
    /// New ones that hear of a cache from now on.
    pub(super) fn of(rig: &Rig, space: &Space) -> Arc<Self> {
        let ears = Arc::new(Self::default());
        let weak: Weak<Self> = Arc::downgrade(&ears);
        rig.bus().listen(space, weak);
        rig.settle();
        ears
    }

    /// What was heard since this was asked last.
    pub(super) fn messages(&self) -> Vec<Message> {
        std::mem::take(&mut lock(&self.messages))
    }

    /// As [`messages`](Self::messages), the changes alone.
    pub(super) fn changes(&self) -> Vec<Change> {
        let messages = self.messages();
        messages.iter().map(|message| message.change).collect()
    }

    pub(super) fn wakes(&self) -> Vec<u64> {
        std::mem::take(&mut lock(&self.wakes))
    }
}

impl Sink for Ears {
    fn receive(&self, message: Message) {
        lock(&self.messages).push(message);
    }

    fn lost(&self) {}

    fn wake(&self, key: u64) {
        lock(&self.wakes).push(key);
    }
}
