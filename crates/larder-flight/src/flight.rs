//! One running load and those who wait for it.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, PoisonError, TryLockError};
use std::time::Duration;

use event_listener::EventListener;
use futures_lite::future::or;
use larder_core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use larder_core::sync::{Mutex, MutexGuard, OnceLock};
use larder_core::{BoxFuture, LoadError, LoadErrorKind, Moment, Ticket};

use crate::limit::Permits;
use crate::nesting::Mark;
use crate::time::Time;

/// What a load shows to those who join it, while it runs.
pub type Shown = Arc<dyn Any + Send + Sync>;

/// What the leader, the load's task and the waiters of one load share.
///
/// It ends in two steps. Whoever *claims* the end decides it, and there is one: the result, a
/// panic, the deadline, a runtime that drops the task. Whoever claimed *publishes* the answer; until
/// then a result can still be put where later callers look.
pub(crate) struct Flight<V> {
    mark: Arc<Mark>,
    shown: Option<Shown>,
    ticket: Ticket,
    time: Arc<Time>,
    deadline: OnceLock<Deadline>,
    claimed: AtomicBool,
    answer: OnceLock<Result<V, LoadError>>,
    /// Its leader, from the start, and those who joined; or [`LEFT`].
    callers: AtomicUsize,
    /// Whether it ends when the last caller has left.
    cancels: AtomicBool,
    place: Mutex<Place>,
}

/// A flight's part of its load's place among the loads that run; locked while the load is polled.
#[derive(Debug)]
pub(crate) struct Place {
    /// The load's place is free when none of its flights has them any more.
    permits: Option<Permits>,
    polled: bool,
}

impl Place {
    /// Notes that the load is polled now.
    pub(crate) fn poll(&mut self) {
        self.polled = true;
    }

    /// Gives the place to others.
    pub(crate) fn free(&mut self) {
        self.permits = None;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Deadline {
    at: Moment,
    after: Duration,
}

/// How long a waiter bears with a leader that has not started the load: between the two there is no
/// await, so it only counts when the leader's thread hangs or the lead was leaked.
const START: Duration = Duration::from_secs(30);

/// The number of callers of a load that has ended with them.
const LEFT: usize = usize::MAX;

impl<V> Flight<V> {
    pub(crate) fn new(mark: Arc<Mark>, ticket: Ticket, time: Arc<Time>, permits: Permits) -> Self {
        Self {
            mark,
            shown: None,
            ticket,
            time,
            deadline: OnceLock::new(),
            claimed: AtomicBool::new(false),
            answer: OnceLock::new(),
            callers: AtomicUsize::new(1),
            cancels: AtomicBool::new(false),
            place: Mutex::new(Place {
                permits: Some(permits),
                polled: false,
            }),
        }
    }

    pub(crate) fn showing(self, shown: Option<Shown>) -> Self {
        Self { shown, ..self }
    }

    pub(crate) fn shown(&self) -> Option<&Shown> {
        self.shown.as_ref()
    }

    pub(crate) fn mark(&self) -> &Arc<Mark> {
        &self.mark
    }

    pub(crate) fn ticket(&self) -> Ticket {
        self.ticket
    }

    pub(crate) fn time(&self) -> &Time {
        &self.time
    }

    /// Sets the deadline, once, and tells those who joined before.
    pub(crate) fn begin(&self, after: Duration) {
        let at = self.time.moment_in(after);
        if self.deadline.set(Deadline { at, after }).is_ok() {
            self.tell();
        }
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.deadline.get().is_some()
    }

    /// Whether the deadline has passed at `now`, noticed or not.
    pub(crate) fn is_due(&self, now: Moment) -> bool {
        self.deadline
            .get()
            .is_some_and(|deadline| now >= deadline.at)
    }

    /// Whether a result would come too late: waiters have their answer, or the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        self.mark.is_over() || self.is_due(self.time.now())
    }

    /// Makes the caller, and nobody else, the one who publishes.
    pub(crate) fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn publish(&self, answer: Result<V, LoadError>) {
        // In this order: who is told to go on with a load of its own must not find this flight again.
        self.mark.set_over();
        // Only who claimed comes here, so there is no answer yet.
        let _ = self.answer.set(answer);
        self.tell();
    }

    /// Ends the flight from where its load does not run. The load is dropped when its task is woken,
    /// and nobody need wait for that to have its place; but one that holds up its thread, or that
    /// its runtime has never polled, keeps it: else there would be no bound on either.
    pub(crate) fn end(&self, error: LoadError) {
        if !self.claim() {
            return;
        }
        let place = match self.place.try_lock() {
            Ok(place) => Some(place),
            Err(TryLockError::Poisoned(place)) => Some(place.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(mut place) = place.filter(|place| place.polled) {
            place.free();
        }
        self.publish(Err(error));
    }

    /// The load's place, locked.
    pub(crate) fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it ends when the last caller has left.
    pub(crate) fn cancels(&self) -> bool {
        self.cancels.load(Ordering::Acquire)
    }

    pub(crate) fn set_cancels(&self, cancels: bool) {
        self.cancels.store(cancels, Ordering::Release);
    }

    /// One more caller waits; false if the last has left and the load ends for it.
    pub(crate) fn come(&self) -> bool {
        let more = |callers| (callers != LEFT).then(|| callers + 1);
        let came = (self.callers).fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        came.is_ok()
    }

    /// A caller has left; whether it was the last.
    pub(crate) fn leave(&self) -> bool {
        let last = self.callers.fetch_sub(1, Ordering::AcqRel) == 1;
        if last && self.cancels() && !self.mark.is_over() && self.is_left() {
            let text = "the load has ended with the last caller that waited for it";
            self.end(LoadError::new(LoadErrorKind::HandedOver, text));
        }
        last
    }

    /// Whether nobody has come since the last left; then nobody can any more.
    fn is_left(&self) -> bool {
        let left = (self.callers).compare_exchange(0, LEFT, Ordering::AcqRel, Ordering::Acquire);
        left.is_ok()
    }

    pub(crate) fn answer(&self) -> Option<&Result<V, LoadError>> {
        self.answer.get()
    }

    /// Tells all who listen to look again.
    pub(crate) fn tell(&self) {
        self.mark.tell();
    }

    /// Hears of the begin and of the answer, and of a carried load that is to be polled.
    pub(crate) fn listen(&self) -> EventListener {
        self.mark.listen()
    }

    /// How long to wait at most, as far as is known.
    pub(crate) fn left(&self) -> Duration {
        let left = |deadline: &Deadline| deadline.at.since(self.time.now());
        self.deadline.get().map_or(START, left)
    }

    /// Ends when the deadline passes, or when the callers have left if that ends the load.
    pub(crate) fn over(&self) -> BoxFuture<'static, ()> {
        let passed = self.time.sleep(self.left());
        if !self.cancels() {
            return passed;
        }
        Box::pin(or(self.mark.listen(), passed))
    }

    pub(crate) fn timed_out(&self) -> LoadError {
        let after = self.deadline.get().map_or(START, |deadline| deadline.after);
        let text = format!("the load did not end within {after:?}");
        LoadError::new(LoadErrorKind::TimedOut, text)
    }
}

impl<V> fmt::Debug for Flight<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flight")
            .field("mark", &self.mark)
            .field("ticket", &self.ticket)
            .field("deadline", &self.deadline.get())
            .finish_non_exhaustive()
    }
}
