//! The user's future, contained.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use larder_core::LoadError;

use crate::caught::{caught, discard};
use crate::nesting::{Inside, Mark};

/// The user's future: while it is polled the thread knows whose load it is, and no panic of it
/// comes out, not even from its drop.
pub(crate) struct Load<F> {
    mark: Arc<Mark>,
    future: Option<Pin<Box<F>>>,
}

impl<F> Load<F> {
    pub(crate) fn new(mark: Arc<Mark>, future: F) -> Self {
        let future = Some(Box::pin(future));
        Self { mark, future }
    }

    fn close(&mut self) -> Result<(), LoadError> {
        let future = self.future.take();
        let _inside = Inside::enter(&self.mark);
        caught(|| drop(future))
    }
}

impl<F, T> Future for Load<F>
where
    F: Future<Output = Result<T, LoadError>>,
{
    type Output = Result<T, LoadError>;

    /// Drops the future before it gives its answer: it is over then, whatever its drop does.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let Some(future) = &mut this.future else {
            return Poll::Pending;
        };
        let polled = {
            let _inside = Inside::enter(&this.mark);
            caught(|| future.as_mut().poll(cx))
        };
        let answer = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(answer)) => answer,
            Err(panicked) => Err(panicked),
        };
        match this.close() {
            Ok(()) => Poll::Ready(answer),
            Err(panicked) => {
                discard(answer);
                Poll::Ready(Err(panicked))
            }
        }
    }
}

impl<F> Drop for Load<F> {
    fn drop(&mut self) {
        // Whoever waited has another answer already, or gets one from the seat.
        let _ = self.close();
    }
}

impl<F> fmt::Debug for Load<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.mark.fmt(f)
    }
}
