//! Many small operations at once.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// How many are under way at once: so many that a connection is kept busy, and so few that to poll
/// all of them on each wake costs little.
const WIDTH: usize = 64;

/// Runs `operations` side by side in the caller's task, in groups; their results, in order.
pub(crate) async fn together<F: Future>(operations: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut operations = operations.into_iter();
    let mut results = Vec::new();
    loop {
        let group: Vec<_> = operations.by_ref().take(WIDTH).map(Box::pin).collect();
        if group.is_empty() {
            return results;
        }
        results.extend(all(group).await);
    }
}

async fn all<F: Future>(operations: Vec<Pin<Box<F>>>) -> Vec<F::Output> {
    let mut running: Vec<_> = operations.into_iter().map(Running::Yet).collect();
    poll_fn(|cx| {
        let polled = running.iter_mut().map(|one| one.poll(cx));
        if polled.filter(|done| !done).count() > 0 {
            return Poll::Pending;
        }
        Poll::Ready(())
    })
    .await;
    running.into_iter().filter_map(Running::result).collect()
}

enum Running<F: Future> {
    Yet(Pin<Box<F>>),
    Done(F::Output),
}

impl<F: Future> Running<F> {
    /// Whether it is done.
    fn poll(&mut self, cx: &mut std::task::Context<'_>) -> bool {
        let Self::Yet(operation) = self else {
            return true;
        };
        let Poll::Ready(result) = operation.as_mut().poll(cx) else {
            return false;
        };
        *self = Self::Done(result);
        true
    }

    fn result(self) -> Option<F::Output> {
        match self {
            Self::Yet(_) => None,
            Self::Done(result) => Some(result),
        }
    }
}
