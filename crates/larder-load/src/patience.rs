//! How long an answer is waited for.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::{Duration, Instant};

use smol::Timer;

use crate::now::now;

/// A bound on requests that follow each other. It sets its timer once a bound, not once a request: setting one costs as
/// much as a small request does.
#[derive(Debug)]
pub(crate) struct Patience {
    timer: Timer,
    bound: Duration,
}

impl Patience {
    pub(crate) fn new(bound: Duration) -> Self {
        Self {
            timer: Timer::after(bound),
            bound,
        }
    }

    /// What `work` gives, or nothing if it takes longer than the bound from `start`; it is dropped then.
    pub(crate) async fn within<T>(
        &mut self,
        start: Instant,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let due = start + self.bound;
        let mut work = pin!(work);
        poll_fn(|context| {
            if let Poll::Ready(value) = work.as_mut().poll(context) {
                return Poll::Ready(Some(value));
            }
            // It was set for an earlier request, and has to be set for the next also where this one is given up.
            while Pin::new(&mut self.timer).poll(context).is_ready() {
                let late = now() >= due;
                self.timer.set_at(if late { due + self.bound } else { due });
                if late {
                    return Poll::Ready(None);
                }
            }
            Poll::Pending
        })
        .await
    }
}
