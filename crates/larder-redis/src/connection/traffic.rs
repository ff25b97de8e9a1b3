//! What is under way on a connection.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use larder_core::Moment;

use super::heard::Heard;
use super::settings::Bounds;

/// What is under way on a connection: what is waited for, and what nobody waits for any more though
/// no answer has come.
///
/// The second counts like the first, because the client underneath keeps a place for each. An answer
/// settles all that was sent before its request and was given up: answers come in order, or on a
/// cluster nearly so.
#[derive(Debug)]
pub(super) struct Traffic {
    bounds: Bounds,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    waiting: usize,
    bytes: usize,
    given_up: VecDeque<Sent>,
}

/// One batch that was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    number: u64,
    bytes: usize,
    at: Moment,
    heard: Heard,
}

/// Requests in a row that were given up: how many, and when the first of them was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Silence {
    pub(super) count: usize,
    pub(super) since: Moment,
    /// What had come by then.
    pub(super) heard: Heard,
}

impl Traffic {
    pub(super) fn new(bounds: Bounds) -> Self {
        let state = Mutex::default();
        Self { bounds, state }
    }

    /// Room for one batch more, if there is any.
    pub(super) fn enter(&self, bytes: usize, at: Moment, heard: Heard) -> Option<Sent> {
        let mut state = self.lock();
        let under_way = state.waiting + state.given_up.len();
        let fits = state.bytes.saturating_add(bytes) <= self.bounds.buffer || under_way == 0;
        (under_way < self.bounds.requests && fits).then(|| state.enter(bytes, at, heard))
    }

    /// Room for a heartbeat, which there always is.
    pub(super) fn beat(&self, at: Moment, heard: Heard) -> Sent {
        self.lock().enter(0, at, heard)
    }

    /// An answer has come.
    pub(super) fn answered(&self, sent: Sent) {
        let mut state = self.lock();
        state.leave(sent);
        while let Some(first) = state.given_up.front().copied() {
            if first.number > sent.number {
                break;
            }
            state.given_up.pop_front();
            state.bytes -= first.bytes;
        }
    }

    /// It has failed, and nothing of it is under way any more.
    pub(super) fn failed(&self, sent: Sent) {
        self.lock().leave(sent);
    }

    /// Nobody waits for it any more.
    pub(super) fn given_up(&self, sent: Sent) -> Silence {
        let mut state = self.lock();
        state.waiting -= 1;
        // In the order in which they were sent, though given up in another.
        let place = state
            .given_up
            .partition_point(|other| other.number < sent.number);
        state.given_up.insert(place, sent);
        Silence {
            count: state.given_up.len(),
            since: state.given_up[0].at,
            heard: state.given_up[0].heard,
        }
    }

    /// How many batches are under way.
    pub(super) fn under_way(&self) -> usize {
        let state = self.lock();
        state.waiting + state.given_up.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn enter(&mut self, bytes: usize, at: Moment, heard: Heard) -> Sent {
        self.waiting += 1;
        self.bytes += bytes;
        self.next += 1;
        let number = self.next;
        Sent {
            number,
            bytes,
            at,
            heard,
        }
    }

    fn leave(&mut self, sent: Sent) {
        self.waiting -= 1;
        self.bytes -= sent.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Moment = Moment::from_nanos(0);
    const NONE: Heard = Heard {
        bytes: 0,
        answers: 0,
    };

    fn traffic(requests: usize, buffer: usize) -> Traffic {
        let reply = 1024;
        Traffic::new(Bounds {
            requests,
            buffer,
            reply,
        })
    }

    #[test]
    fn what_is_given_up_takes_room_until_a_later_answer() {
        let traffic = traffic(2, 100);
        let one = traffic.enter(60, START, NONE).unwrap();
        assert!(traffic.enter(60, START, NONE).is_none(), "too many bytes");
        let two = traffic.enter(40, START, NONE).unwrap();
        assert!(traffic.enter(0, START, NONE).is_none(), "too many batches");
        let later = Moment::from_nanos(5);
        traffic.given_up(two);
        let silence = traffic.given_up(one);
        assert_eq!((silence.count, silence.since), (2, START));
        assert!(traffic.enter(0, later, NONE).is_none(), "still in the way");
        let beat = traffic.beat(later, NONE);
        traffic.answered(beat);
        assert_eq!(traffic.under_way(), 0);
        let large = traffic
            .enter(1000, later, NONE)
            .expect("alone it may be larger");
        traffic.failed(large);
        let half = || traffic.enter(50, later, NONE);
        assert!(
            half().is_some() && half().is_some(),
            "no byte is left behind"
        );
    }

    #[test]
    fn an_answer_settles_nothing_that_was_sent_after_its_request() {
        let traffic = traffic(9, 100);
        let [one, two] = [1, 2].map(|bytes| traffic.enter(bytes, START, NONE).unwrap());
        assert_eq!(traffic.given_up(two).count, 1);
        traffic.answered(one);
        let three = traffic.enter(3, START, NONE).unwrap();
        assert_eq!(traffic.given_up(three).count, 2, "`two` may be lost");
        assert_eq!(traffic.under_way(), 2);
    }
}
