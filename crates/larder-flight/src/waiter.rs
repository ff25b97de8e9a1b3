//! A caller's place in a flight.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use futures_lite::future::or;
use larder_core::{LoadError, Ticket, guard};

use crate::carried::Who;
use crate::flight::{Flight, Shown};
use crate::nesting::Wait;

/// A caller's place in a flight. Dropping it, or its future, only leaves: the load goes on, unless
/// it [ends with its callers](crate::Lead::end_with_callers) and this was the last.
pub struct Waiter<V> {
    flight: Arc<Flight<V>>,
    who: Who,
}

impl<V> Waiter<V> {
    /// The leader's, which counts from the flight's start.
    pub(crate) fn leading(flight: Arc<Flight<V>>) -> Self {
        let who = Who::Leader;
        Self { flight, who }
    }

    /// One who joins; `None` if the load is just about to end with the last who left.
    pub(crate) fn joining(flight: Arc<Flight<V>>) -> Option<Self> {
        // Not made before it has come: dropped, it leaves.
        let who = Who::Other(None);
        flight.come().then(|| Self { flight, who })
    }

    /// Lets the load go on when all callers have left, whatever its leader said.
    pub fn stay(&self) {
        self.flight.set_cancels(false);
    }

    /// Leaves a load that need not be waited for.
    ///
    /// # Errors
    /// `Recursive`: this is called inside a load that the flight waits for, and to wait would have
    /// been an error. So a load that asks for itself is found out also where there is an old value
    /// to be had.
    pub fn leave(self) -> Result<(), LoadError> {
        Wait::note(&mut None, self.flight.mark())
    }

    /// The ticket of the load, taken before it read anything.
    #[must_use]
    pub fn ticket(&self) -> Ticket {
        self.flight.ticket()
    }

    /// What the load shows while it runs, if it was [entered](crate::Flights::enter_showing) so.
    #[must_use]
    pub fn shown(&self) -> Option<&Shown> {
        self.flight.shown()
    }
}

impl<V: Clone> Waiter<V> {
    /// Waits for the load's answer, never past the load's deadline; every waiter gets a clone of
    /// the same answer.
    ///
    /// A waiter watches the deadline by itself, so that it ends in time even if the load blocks the
    /// thread on which its task runs. It sleeps on the runtime only if the answer is not there yet.
    ///
    /// # Errors
    /// - `TimedOut`: the deadline passed. The key is free again, a late result is refused.
    /// - `Panicked`: the load panicked, or its leader did before it started it.
    /// - `Refused`: the runtime or the leader dropped the load unfinished.
    /// - `HandedOver`: the load ran in its leader's task, and that was dropped.
    /// - `Recursive`: this is polled inside a load that the flight waits for, directly or through
    ///   others, in any cache of the process. Found on the poll that would wait.
    /// - What the load itself gave.
    pub async fn wait(mut self) -> Result<V, LoadError> {
        let mut noted = None;
        let flight = Arc::clone(&self.flight);
        let mut answer = pin!(answer(&flight));
        poll_fn(|cx| {
            // It ends by itself as long as it is carried, and by its deadline.
            let polled = if flight.poll_carried(&mut self.who, cx.waker()) {
                Poll::Pending
            } else if let Some(answer) = flight.answer() {
                Poll::Ready(answer.clone())
            } else {
                answer.as_mut().poll(cx)
            };
            if polled.is_pending() {
                if let Err(recursive) = Wait::note(&mut noted, flight.mark()) {
                    return Poll::Ready(Err(recursive));
                }
            }
            polled
        })
        .await
    }
}

async fn answer<V: Clone>(flight: &Flight<V>) -> Result<V, LoadError> {
    loop {
        let changed = flight.listen();
        if let Some(answer) = flight.answer() {
            return answer.clone();
        }
        let changed = guard!(ListenFirst, changed, flight.listen());
        let left = flight.left();
        let passed = or(
            async {
                changed.await;
                false
            },
            async {
                flight.time().sleep(left).await;
                true
            },
        );
        if passed.await {
            return expire(flight);
        }
    }
}

/// Ends the flight, or at least this wait: one who has claimed the end is about to publish, but the
/// user's code runs in between and nobody waits for it past the deadline.
fn expire<V: Clone>(flight: &Flight<V>) -> Result<V, LoadError> {
    flight.end(flight.timed_out());
    let answer = flight.answer().cloned();
    answer.unwrap_or_else(|| Err(flight.timed_out()))
}

impl<V> Drop for Waiter<V> {
    fn drop(&mut self) {
        self.flight.forget(self.who);
        if self.flight.leave() {
            guard!(LastSends, self.flight.send_away(), ());
        }
    }
}

impl<V> fmt::Debug for Waiter<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Waiter").field(&self.flight).finish()
    }
}
