//! One running load and those who wait for it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use event_listener::{Event, EventListener};
use larder_core::{LoadError, LoadErrorKind, Moment, Ticket};

use crate::nesting::Mark;
use crate::time::Time;

/// What the leader, the load's task and the waiters of one load share.
///
/// It ends in two steps. Whoever *claims* the end decides it, and there is one: the result, a
/// panic, the deadline, a runtime that drops the task. Whoever claimed *publishes* the answer; until
/// then a result can still be put where later callers look.
pub(crate) struct Flight<V> {
    mark: Arc<Mark>,
    ticket: Ticket,
    time: Arc<Time>,
    deadline: OnceLock<Deadline>,
    claimed: AtomicBool,
    answer: OnceLock<Result<V, LoadError>>,
    changed: Event,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Deadline {
    at: Moment,
    after: Duration,
}

/// How long a waiter bears with a leader that has not started the load: between the two there is no
/// await, so it only counts when the leader's thread hangs or the lead was leaked.
const START: Duration = Duration::from_secs(30);

impl<V> Flight<V> {
    pub(crate) fn new(ticket: Ticket, time: Arc<Time>) -> Self {
        Self {
            mark: Mark::new(),
            ticket,
            time,
            deadline: OnceLock::new(),
            claimed: AtomicBool::new(false),
            answer: OnceLock::new(),
            changed: Event::new(),
        }
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
            self.changed.notify(usize::MAX);
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
        // Only who claimed comes here, so there is no answer yet.
        let _ = self.answer.set(answer);
        self.mark.set_over();
        self.changed.notify(usize::MAX);
    }

    pub(crate) fn answer(&self) -> Option<&Result<V, LoadError>> {
        self.answer.get()
    }

    /// Hears of the begin and of the answer.
    pub(crate) fn listen(&self) -> EventListener {
        self.changed.listen()
    }

    /// How long to wait at most, as far as is known.
    pub(crate) fn left(&self) -> Duration {
        let left = |deadline: &Deadline| deadline.at.since(self.time.now());
        self.deadline.get().map_or(START, left)
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
