//! The right and the duty to run a load.

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::slice;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_lite::FutureExt;
use larder_core::{BoxFuture, LoadError, Ticket};

use crate::carried::Away;
use crate::caught::discard;
use crate::flight::Flight;
use crate::load::Load;
use crate::seat::Seat;
use crate::waiter::Waiter;

/// The right and the duty to run the load of a key: others may already wait for it.
///
/// Look once more for the value, then [`settle`](Self::settle) or [`start`](Self::start), with no
/// await in between. Dropped instead, by a panic for instance, it ends the flight with an error.
pub struct Lead<K, V> {
    seat: Seat<K, V>,
}

impl<K, V> Lead<K, V> {
    pub(crate) fn new(seat: Seat<K, V>) -> Self {
        Self { seat }
    }

    pub(crate) fn into_seat(self) -> Seat<K, V> {
        self.seat
    }

    /// The ticket of the load, taken when the flight was registered, before it can read anything.
    #[must_use]
    pub fn ticket(&self) -> Ticket {
        self.seat.flight().ticket()
    }

    /// Lets the load end when the last caller has left, unless one of them says
    /// [`stay`](Waiter::stay).
    pub fn end_with_callers(&self) {
        self.seat.flight().set_cancels(true);
    }

    /// Ends the flight at once with a value found elsewhere.
    ///
    /// A caller may miss just before a flight ends and register just after it. Who looks again
    /// once it leads finds that flight's value and runs nothing.
    pub fn settle(self, value: V) {
        self.seat.end(|| Ok(value));
    }

    /// Runs the load in the leader's own task: it may borrow and need not be `Send`.
    ///
    /// As [`start`](Self::start) otherwise. If the future is dropped before it has ended, polled or
    /// not, the load is dropped with it, and those who wait get `HandedOver`, each to go on with a
    /// load of its own.
    ///
    /// # Errors
    /// As [`Waiter::wait`], but for `Recursive` and `HandedOver`.
    pub fn hold<T>(
        mut self,
        deadline: Duration,
        load: impl Future<Output = Result<T, LoadError>>,
        keep: impl FnOnce(T) -> V,
    ) -> impl Future<Output = Result<V, LoadError>>
    where
        V: Clone,
    {
        self.seat.hold();
        let flight = Arc::clone(self.seat.flight());
        let load = Load::new(Arc::clone(flight.mark()), load);
        flight.begin(deadline);
        async move {
            run(self.seat, load, keep).await;
            let answer = flight.answer().cloned();
            answer.unwrap_or_else(|| Err(flight.timed_out()))
        }
    }
}

impl<K, V> Lead<K, V>
where
    K: Send + Sync + 'static,
    V: Send + Sync + 'static,
{
    /// Runs the load on the runtime, detached: it belongs to the flight, callers only wait.
    ///
    /// When it has succeeded in time, `keep` turns the result into what the waiters get and puts it
    /// where later callers look; then they get it and the key is free. `keep` runs under no lock,
    /// and not at all for a failed or late result.
    ///
    /// After `deadline`, however huge, the flight ends as timed out and the load is dropped. One
    /// that blocks its thread, or that its runtime has never polled, cannot be dropped: it holds its
    /// permits until it really ends, and then its result is dropped.
    ///
    /// A panic in the load, in its drop or in `keep` ends the flight with an error of kind
    /// `Panicked`. Whatever the load constructs lazily, at its first poll, is contained as well.
    ///
    /// Costs two allocations, the load and its task, with what the runtime needs for it; and a timer
    /// if the load is not ready at its first poll.
    pub fn start<T: Send + 'static>(
        self,
        deadline: Duration,
        load: impl Future<Output = Result<T, LoadError>> + Send + 'static,
        keep: impl FnOnce(T) -> V + Send + 'static,
    ) -> Waiter<V> {
        let flight = Arc::clone(self.seat.flight());
        let task = self.task(deadline, load, keep);
        flight.time().spawn(task);
        Waiter::leading(flight)
    }

    /// As [`start`](Self::start), but those who [wait](Waiter::wait) poll the load, as long as that is as
    /// good: that saves a task, and the leader the wait for it.
    ///
    /// Whoever of them is polled when the load is woken polls it for all. It goes to the runtime when the
    /// last has left, and when it says so itself by [`Away::go`]: before it does what a caller should
    /// not do for it. It should hold up no thread before. Only where none of those who wait is polled,
    /// nor dropped, it stands still with them.
    pub fn carry<T, F>(
        self,
        deadline: Duration,
        load: impl FnOnce(Away<V>) -> F,
        keep: impl FnOnce(T) -> V + Send + 'static,
    ) -> Waiter<V>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, LoadError>> + Send + 'static,
    {
        let flight = Arc::clone(self.seat.flight());
        let task = self.task(deadline, load(Away::new(&flight)), keep);
        flight.carry(task);
        // Who came before may be the only one who is polled.
        flight.tell();
        Waiter::leading(flight)
    }

    fn task<T: Send + 'static>(
        self,
        deadline: Duration,
        load: impl Future<Output = Result<T, LoadError>> + Send + 'static,
        keep: impl FnOnce(T) -> V + Send + 'static,
    ) -> BoxFuture<'static, ()> {
        let flight = self.seat.flight();
        let load = Load::new(Arc::clone(flight.mark()), load);
        flight.begin(deadline);
        // The value is the user's and may panic when it is dropped. The flight is over then, and a
        // thread of the runtime must not end for it.
        let task = AssertUnwindSafe(run(self.seat, load, keep)).catch_unwind();
        Box::pin(async { discard(task.await) })
    }
}

async fn run<K, V, F, T>(seat: Seat<K, V>, mut load: Load<F>, keep: impl FnOnce(T) -> V)
where
    F: Future<Output = Result<T, LoadError>>,
{
    let flight = Arc::clone(seat.flight());
    let mut asleep = None;
    let ended = poll_fn(|cx| poll(slice::from_ref(&flight), &mut load, &mut asleep, cx)).await;
    drop(load);
    seat.end(|| ended.map(keep));
}

/// The result of the load of some flights, or the error that it is too late for one: for all of
/// them, which have one deadline and each callers of its own.
pub(crate) fn poll<V, F, T>(
    flights: &[Arc<Flight<V>>],
    load: &mut Load<F>,
    asleep: &mut Option<BoxFuture<'static, ()>>,
    cx: &mut Context<'_>,
) -> Poll<Result<T, LoadError>>
where
    F: Future<Output = Result<T, LoadError>>,
{
    let waited = || flights.iter().find(|flight| !flight.is_late());
    let late = || Poll::Ready(Err(flights[0].timed_out()));
    // One that has ended early has given its place back.
    let Some(first) = waited() else {
        return late();
    };
    let polled = {
        let others = flights.iter().filter(|flight| !Arc::ptr_eq(flight, first));
        others.for_each(|flight| flight.place().poll());
        let mut place = first.place();
        place.poll();
        Pin::new(load).poll(cx)
    };
    // The poll may have taken its thread past the deadline.
    if waited().is_none() {
        discard(polled);
        return late();
    }
    if polled.is_pending() {
        loop {
            let Some(waited) = waited() else {
                return late();
            };
            let over = asleep.get_or_insert_with(|| waited.over());
            // The last caller may have left before anybody listened.
            if waited.is_late() || over.poll(cx).is_ready() {
                *asleep = None;
            } else {
                break;
            }
        }
    }
    polled
}

impl<K, V> fmt::Debug for Lead<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lead").field(&self.seat).finish()
    }
}
