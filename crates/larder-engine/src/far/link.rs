//! What other nodes say: messages, gaps between them, and heartbeats.

use std::sync::{Arc, PoisonError};

use larder_core::far::{Change, Message, Sink};
use larder_core::sync::{Mutex, MutexGuard};
use larder_core::{Moment, guard};
use larder_flight::Stamps;

use super::numbers::{Due, Numbers, is_up_to};
use super::{Sight, Wakes};

/// One cache's ear at the bus. Receiving is raising; what may have been missed raises all.
pub(crate) struct Link {
    node: u64,
    stamps: Arc<Stamps>,
    sight: Arc<Sight>,
    /// Who waits for loads of other nodes, in a cache with a lease.
    wakes: Option<Arc<Wakes>>,
    /// Queues again what was acknowledged lately.
    requeue: Option<Box<dyn Fn() + Send + Sync>>,
    state: Mutex<Numbers>,
}

impl Link {
    pub(crate) fn new(node: u64, stamps: Arc<Stamps>, sight: Arc<Sight>) -> Self {
        Self {
            node,
            stamps,
            sight,
            wakes: None,
            requeue: None,
            state: Mutex::default(),
        }
    }

    pub(crate) fn waking(self, wakes: Option<Arc<Wakes>>) -> Self {
        Self { wakes, ..self }
    }

    /// Runs this at each loss.
    pub(crate) fn requeuing(self, requeue: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            requeue: Some(Box::new(requeue)),
            ..self
        }
    }

    /// The number of the last message that has come in order.
    pub(crate) fn last(&self) -> Option<u64> {
        self.lock().last
    }

    /// Whether nothing was heard for so long that the node is blind: a node that began to listen at
    /// `began`, and has not had the time to hear anything, is as blind and no cause for alarm.
    pub(crate) fn is_blind_since(&self, began: Moment, now: Moment) -> bool {
        self.sight.is_blind(now) && now > self.sight.ends(began)
    }

    /// A heartbeat has been answered that was sent at `sent`, when `known` was the last number.
    ///
    /// A server that is behind what it has told has forgotten it: another has taken over.
    pub(crate) fn answered(&self, number: u64, sent: Moment, known: Option<u64>) {
        let behind = known.is_some_and(|known| number != known && is_up_to(number, known));
        if guard!(NumberBehind, behind, false) {
            self.lost();
        }
        self.heartbeat(number, sent);
    }

    /// A heartbeat that was sent at `sent` has said `number`.
    ///
    /// It ends no blindness while its number is not reached: what is missing may name what the
    /// node holds, however long the silence was before.
    fn heartbeat(&self, number: u64, sent: Moment) {
        let mut state = self.lock();
        if state.reached().is_none() {
            // Something was lost, or this is the first sign: what it was is not known.
            state.last = Some(number);
            guard!(HeartbeatRaise, self.stamps.raise_all(), 0);
        }
        state.due = Some(Due { number, sent });
        self.see(&state);
    }

    fn note(&self, number: u64) {
        let mut state = self.lock();
        let Some(last) = state.last else {
            return;
        };
        if is_up_to(number, last) {
            return;
        }
        state.last = Some(number);
        if number != last.wrapping_add(1) {
            guard!(GapRaise, self.stamps.raise_all(), 0);
        }
        self.see(&state);
    }

    fn see(&self, state: &Numbers) {
        if let Some(due) = guard!(HeartbeatReached, state.reached(), state.due) {
            self.sight.beat(due.sent);
        }
    }

    fn raise(&self, change: Change) {
        match change {
            Change::Key(digest) | Change::Tag(digest) => {
                self.stamps.raise(self.stamps.slot_by(digest));
            }
            Change::Expired(digest) => {
                self.stamps.expire(self.stamps.slot_by(digest));
            }
            Change::All => {
                self.stamps.raise_all();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Link {
    /// A node's own messages only count: what they say was raised when it was done.
    fn receive(&self, message: Message) {
        if message.node != self.node {
            guard!(MessageRaise, self.raise(message.change), ());
        }
        self.note(message.number);
        if let Some(wakes) = &self.wakes {
            wakes.changed(message.change);
        }
    }

    fn wake(&self, key: u64) {
        if let Some(wakes) = &self.wakes {
            wakes.wake(key);
        }
    }

    /// It has no number, and who waits for a load of the key may look what is there.
    fn touched(&self, key: u64) {
        guard!(TouchRaise, self.raise(Change::Key(key)), ());
        self.wake(key);
    }

    fn lost(&self) {
        // Before the raise: what is decoded from here on is fenced, and what was, falls.
        if let Some(requeue) = &self.requeue {
            requeue();
        }
        guard!(LossForgets, *self.lock() = Numbers::default(), ());
        guard!(LossRaise, self.stamps.raise_all(), 0);
        if let Some(wakes) = &self.wakes {
            wakes.wake_all();
        }
    }
}

#[cfg(test)]
mod tests;
