//! The answer to a batch, on its way.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use larder_redis::Reply;

use super::lock;

/// Where the replies to a batch come together.
#[derive(Debug)]
pub(super) struct Batch(Mutex<State>);

#[derive(Debug)]
struct State {
    replies: Vec<Option<Reply>>,
    missing: usize,
    broken: bool,
    waker: Option<Waker>,
}

/// The connection broke before all replies were there: what was sent may have run, or may run yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broken;

impl Batch {
    pub(super) fn of(requests: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            replies: vec![None; requests],
            missing: requests,
            broken: false,
            waker: None,
        })))
    }

    pub(super) fn fill(&self, at: usize, reply: Reply) {
        let mut state = lock(&self.0);
        state.missing -= usize::from(state.replies[at].is_none());
        state.replies[at] = Some(reply);
        if state.missing == 0 {
            wake(state.waker.take());
        }
    }

    pub(super) fn tear(&self) {
        let mut state = lock(&self.0);
        state.broken = true;
        wake(state.waker.take());
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Ends with the replies. Dropping it stops nothing that was sent.
pub(super) struct Answer(pub(super) Arc<Batch>);

impl Future for Answer {
    type Output = Result<Vec<Reply>, Broken>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = lock(&self.0.0);
        if state.missing == 0 {
            return Poll::Ready(Ok(state.replies.drain(..).flatten().collect()));
        }
        if state.broken {
            return Poll::Ready(Err(Broken));
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}
