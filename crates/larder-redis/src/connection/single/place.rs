//! A place in the line of those who wait for answers.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::ConnectErrorKind;
use crate::wire::Reply;

/// Where one batch's answers come together. Who waits for them may have left: they are of no use then,
/// and still come here.
pub(super) struct Place {
    wanted: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    answers: Vec<Reply>,
    waker: Option<Waker>,
    end: Option<ConnectErrorKind>,
}

impl Place {
    /// For so many answers, at least one.
    pub(super) fn new(wanted: usize) -> Self {
        let answers = Vec::with_capacity(wanted);
        let state = State {
            answers,
            ..State::default()
        };
        Self {
            wanted,
            state: Mutex::new(state),
        }
    }

    /// Puts the next answer. If it is the last, who waits is to be woken, if anybody does.
    pub(super) fn put(&self, answer: Reply) -> Option<Option<Waker>> {
        let mut state = self.lock();
        state.answers.push(answer);
        (state.answers.len() == self.wanted).then(|| state.waker.take())
    }

    /// There are no more answers. Gives who is to be woken.
    pub(super) fn end(&self, why: ConnectErrorKind) -> Option<Waker> {
        let mut state = self.lock();
        state.end = Some(why);
        state.waker.take()
    }

    /// All answers, as soon as they are there.
    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Result<Vec<Reply>, ConnectErrorKind>> {
        let mut state = self.lock();
        if state.answers.len() == self.wanted {
            return Poll::Ready(Ok(std::mem::take(&mut state.answers)));
        }
        if let Some(end) = state.end {
            return Poll::Ready(Err(end));
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
