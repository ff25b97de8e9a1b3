//! What requests go out by, and answers come back by.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_lite::AsyncWrite as _;

use super::duty::Duty;
use super::place::Place;
use crate::ConnectErrorKind;
use crate::connection::heard::Ledger;
use crate::connection::stream::Outgoing;
use crate::wire::Reply;

/// One connection that all requests share.
///
/// Who asks writes its requests behind those of others, and takes a place in the line of those who
/// wait: answers come in that order. The first of those whose requests wait to go out has the [`Duty`]
/// to send all of them: at its task's next turn, when the other tasks of its executor have had theirs
/// and asked as well. So one call of the system carries many requests, and none has to wait for more
/// to come. What it leaves behind is sent by a task of the connection's own, [a moment
/// later](super::sending).
pub(super) struct Lane(Mutex<State>);

struct State {
    to: Outgoing,
    ledger: Arc<Ledger>,
    /// What is to go out, from `gone` on.
    out: Vec<u8>,
    gone: usize,
    /// Batches in it that have not gone out in whole.
    unsent: usize,
    /// How often all had gone out.
    rounds: u64,
    /// The system takes no more for now, and tells the sender when it does again.
    full: bool,
    /// The connection's own task looks after what waits to go out.
    watched: bool,
    line: VecDeque<Arc<Place>>,
    /// The task that sends what the system did not take; none before it has begun.
    sender: Option<Waker>,
    /// Why there will be no answer any more.
    end: Option<ConnectErrorKind>,
}

/// So many batches that wait to go out are worth a call of the system, whoever makes it; of those in
/// line, [one in so many](PART) if that is fewer. The server then has work while the others ask.
const MOST: usize = 32;
const LEAST: usize = 8;
const PART: usize = 4;

/// The same, in bytes.
const MUCH: usize = 32 << 10;

/// More room than this is given back when it is not used any more.
const ROOM: usize = 256 << 10;

impl Lane {
    /// What goes out slowly is counted in the ledger: see [`Heard`](crate::connection::Heard).
    pub(super) fn new(to: Outgoing, ledger: Arc<Ledger>) -> Self {
        Self(Mutex::new(State {
            to,
            ledger,
            out: Vec::new(),
            gone: 0,
            unsent: 0,
            rounds: 0,
            full: false,
            watched: false,
            line: VecDeque::new(),
            sender: None,
            end: None,
        }))
    }

    /// Takes a place for so many answers, to the requests that `write` appends.
    ///
    /// # Errors
    /// It has ended, for this reason, and nothing is sent.
    pub(super) fn ask(
        &self,
        answers: usize,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(Arc<Place>, Duty<'_>), ConnectErrorKind> {
        let place = Arc::new(Place::new(answers));
        let mut state = self.lock();
        if let Some(end) = state.end {
            return Err(end);
        }
        state.line.push_back(Arc::clone(&place));
        write(&mut state.out);
        state.unsent += 1;
        let first = state.unsent == 1;
        let round = state.rounds;
        let enough = state.has_enough();
        let awake = if enough && !state.full {
            state.send()
        } else if first {
            Vec::new()
        } else {
            state.look_after().into_iter().collect()
        };
        let due = first && state.rounds == round && !state.full;
        drop(state);
        wake(awake);
        Ok((place, Duty::new(self, due.then_some(round))))
    }

    /// Sends what has waited to go out since that round, if it still does.
    pub(super) fn send(&self, round: u64) {
        let mut state = self.lock();
        if state.rounds == round && state.unsent > 0 && !state.full {
            let ended = state.send();
            drop(state);
            wake(ended);
        }
    }

    /// Sends what the system did not take at once, when it does; and at the first call what came
    /// before it. Ready at the end.
    pub(super) fn poll_send(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        let begins = state.sender.replace(context.waker().clone()).is_none();
        let full = std::mem::take(&mut state.full);
        let waiting = state.out.len() - state.gone;
        let ended = if begins || full {
            state.send()
        } else {
            Vec::new()
        };
        if full {
            let gone = waiting - (state.out.len() - state.gone);
            state.ledger.add(gone, 0);
        }
        let over = state.end.is_some();
        drop(state);
        wake(ended);
        if over { Poll::Ready(()) } else { Poll::Pending }
    }

    /// The round of what waits to go out, if it is to be looked after.
    pub(super) fn watched(&self) -> Option<u64> {
        let state = self.lock();
        state.watched.then_some(state.rounds)
    }

    /// Sends what was to be looked after, if nobody has meanwhile.
    pub(super) fn send_left(&self, round: u64) {
        self.lock().watched = false;
        self.send(round);
        // Of the next round: its sender is awake already.
        let _ = self.lock().look_after();
    }

    /// Gives answers to those who wait for them, in order.
    ///
    /// # Errors
    /// There are more answers than anybody waits for; or it has ended, for this reason.
    pub(super) fn answer(
        &self,
        answers: impl Iterator<Item = Reply>,
    ) -> Result<(), ConnectErrorKind> {
        let mut awake = Vec::new();
        let mut state = self.lock();
        for answer in answers {
            let Some(first) = state.line.front() else {
                // After the end nobody waits for what was still on its way.
                let why = state.end.unwrap_or(ConnectErrorKind::Garbage);
                drop(state);
                wake(awake);
                return Err(why);
            };
            if let Some(waker) = first.put(answer) {
                awake.extend(waker);
                state.line.pop_front();
            }
        }
        awake.extend(state.look_after());
        drop(state);
        wake(awake);
        Ok(())
    }

    /// There will be no more answers. The first reason counts.
    pub(super) fn end(&self, why: ConnectErrorKind) {
        let ended = self.lock().end(why);
        wake(ended);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether what waits to go out is worth a call of the system.
    fn has_enough(&self) -> bool {
        let enough = (self.line.len() / PART).clamp(LEAST, MOST);
        self.unsent >= enough || self.out.len() - self.gone >= MUCH
    }

    /// Has what waits to go out looked after while the server has nothing to answer. Gives who is to
    /// be woken.
    fn look_after(&mut self) -> Option<Waker> {
        let idle = self.line.len() == self.unsent;
        if self.watched || self.full || !idle || self.unsent == 0 || self.end.is_some() {
            return None;
        }
        self.watched = true;
        self.sender.clone()
    }

    /// Sends as much as the system takes; what is left is the sender's. Gives who is to be woken, if
    /// that was the end.
    fn send(&mut self) -> Vec<Waker> {
        let Some(sender) = self.sender.clone() else {
            // As soon as it begins.
            return Vec::new();
        };
        match self.push(&mut Context::from_waker(&sender)) {
            Poll::Ready(Err(_)) => self.end(ConnectErrorKind::Lost),
            Poll::Ready(Ok(())) | Poll::Pending => Vec::new(),
        }
    }

    fn push(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.end.is_some() {
            return Poll::Ready(Ok(()));
        }
        let to = &mut self.to;
        while self.gone < self.out.len() {
            let rest = &self.out[self.gone..];
            match Pin::new(&mut *to).poll_write(context, rest)? {
                Poll::Ready(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(count) => self.gone += count,
                Poll::Pending => {
                    self.full = true;
                    if self.gone > self.out.len() / 2 {
                        self.out.drain(..self.gone);
                        self.gone = 0;
                    }
                    return Poll::Pending;
                }
            }
        }
        self.out.clear();
        self.out.shrink_to(ROOM);
        self.gone = 0;
        self.unsent = 0;
        self.rounds += 1;
        Pin::new(to).poll_flush(context)
    }

    fn end(&mut self, why: ConnectErrorKind) -> Vec<Waker> {
        let why = *self.end.get_or_insert(why);
        self.out = Vec::new();
        self.gone = 0;
        let line = std::mem::take(&mut self.line);
        let mut awake: Vec<_> = line.iter().filter_map(|place| place.end(why)).collect();
        awake.extend(self.sender.take());
        awake
    }
}

/// Outside of the lock: what wakes may run at once what asks again.
fn wake(all: impl IntoIterator<Item = Waker>) {
    all.into_iter().for_each(Waker::wake);
}

#[cfg(test)]
mod tests;
