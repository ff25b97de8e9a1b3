//! The clock of a runtime and the sleeps that wait for it.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use larder_core::{Clock, ManualClock, Moment};

use super::signal::Signal;
use crate::lock;

/// When a sleep ends, and which of those that end together it is.
type Place = (Moment, u64);

/// The clock of a runtime and the sleeps that wait for it. Nothing is woken under the lock.
pub(super) struct Timers {
    hand: ManualClock,
    clock: Clock,
    state: Mutex<State>,
    signal: Arc<Signal>,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<Place, Waker>,
    last: u64,
}

impl Timers {
    pub(super) fn new(signal: Arc<Signal>) -> Self {
        let hand = ManualClock::new();
        Self {
            clock: hand.clock(),
            hand,
            state: Mutex::default(),
            signal,
        }
    }

    pub(super) fn hand(&self) -> &ManualClock {
        &self.hand
    }

    pub(super) fn now(&self) -> Moment {
        self.clock.now()
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.state).waiting.len()
    }

    /// When the next timer is due.
    pub(super) fn next(&self) -> Option<Moment> {
        let state = lock(&self.state);
        state.waiting.first_key_value().map(|(place, _)| place.0)
    }

    /// Moves the clock to the next timer, if that is due at `end` or earlier.
    pub(super) fn move_to_next(&self, end: Moment) -> bool {
        let next = self.next().filter(|&due| due <= end && due != Moment::MAX);
        next.inspect(|&due| self.move_to(due)).is_some()
    }

    /// Moves the clock to `end`, if that is later.
    pub(super) fn move_to(&self, end: Moment) {
        let _one_at_a_time = lock(&self.state);
        self.hand.advance(end.since(self.now()));
    }

    /// Fires the first timer that is due, and says if there was one.
    pub(super) fn fire_due(&self) -> bool {
        let mut state = lock(&self.state);
        let first = state.waiting.first_entry();
        let Some(due) = first.filter(|entry| entry.key().0 <= self.now()) else {
            return false;
        };
        let waker = due.remove();
        drop(state);
        waker.wake();
        true
    }

    fn set(&self, place: Option<Place>, due: Moment, waker: Waker) -> Place {
        let mut state = lock(&self.state);
        state.last += u64::from(place.is_none());
        let place = place.unwrap_or((due, state.last));
        let replaced = state.waiting.insert(place, waker);
        drop(state);
        drop(replaced);
        self.signal.raise();
        place
    }

    fn remove(&self, place: Place) {
        let removed = lock(&self.state).waiting.remove(&place);
        drop(removed);
    }
}

/// Ends at a moment.
pub(super) struct Sleep {
    due: Moment,
    place: Option<Place>,
    timers: Weak<Timers>,
}

impl Sleep {
    pub(super) fn new(timers: &Arc<Timers>, duration: Duration) -> Self {
        Self {
            due: timers.now().after(duration),
            place: None,
            timers: Arc::downgrade(timers),
        }
    }

    fn leave(&mut self) {
        if let (Some(place), Some(timers)) = (self.place.take(), self.timers.upgrade()) {
            timers.remove(place);
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(timers) = self.timers.upgrade() else {
            return Poll::Pending;
        };
        if self.due <= timers.now() {
            self.leave();
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        self.place = Some(timers.set(self.place, self.due, waker));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.leave();
    }
}
