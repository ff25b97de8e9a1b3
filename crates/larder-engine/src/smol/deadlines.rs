//! Sleep that hardly ever comes to its end.

use std::collections::BTreeMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use larder_core::{Clock, Moment};
use smol::Timer;

/// All who sleep until a deadline, in this process.
///
/// Nearly all operations end long before their deadlines. A timer of the system's reactor for each
/// costs a notice to the thread that waits there, made and taken back; here all share one, which is
/// set to the first of them, and to who sleeps it costs a place in a list. It rings on the reactor's
/// own thread, so that a task which blocks an executor holds nobody up.
pub(super) struct Deadlines {
    clock: Clock,
    state: Mutex<State>,
}

struct State {
    sleepers: BTreeMap<(Moment, u64), Waker>,
    next: u64,
    timer: Option<Timer>,
    /// When the timer rings.
    set: Moment,
}

static ALL: LazyLock<Arc<Deadlines>> = LazyLock::new(|| Arc::new(Deadlines::new()));

/// Sleeps until so much later, and up to two of the clock's steps longer.
pub(super) fn sleep(duration: Duration) -> Sleep {
    ALL.sleep(duration)
}

/// One who sleeps.
pub(super) struct Sleep {
    deadlines: Arc<Deadlines>,
    until: Moment,
    /// Its place, from its first poll on.
    place: Option<u64>,
}

impl Deadlines {
    fn new() -> Self {
        Self {
            clock: Clock::monotonic(),
            state: Mutex::new(State {
                sleepers: BTreeMap::new(),
                next: 0,
                timer: None,
                set: Moment::MAX,
            }),
        }
    }

    fn sleep(self: &Arc<Self>, duration: Duration) -> Sleep {
        Sleep {
            deadlines: Arc::clone(self),
            until: self.clock.now().after(duration),
            place: None,
        }
    }

    /// Wakes all whose time has come, and sets the timer to the first of the others.
    fn ring(self: &Arc<Self>) {
        loop {
            let mut state = self.lock();
            let now = self.clock.now();
            let due = state.due(now);
            state.set = Moment::MAX;
            let first = state
                .sleepers
                .first_key_value()
                .map(|((first, _), _)| *first);
            let set = first.is_none_or(|first| self.set(&mut state, first, now));
            drop(state);
            for waker in due {
                // Of whoever it is: the others must be woken all the same.
                let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
            }
            if set {
                return;
            }
        }
    }

    /// Sets the timer, unless its time has come already.
    fn set(self: &Arc<Self>, state: &mut State, until: Moment, now: Moment) -> bool {
        // The clock moves in steps, and must have come there.
        let mut timer = Timer::after(until.since(now) + self.clock.step());
        let waker = Waker::from(Arc::clone(self));
        let waits = Pin::new(&mut timer)
            .poll(&mut Context::from_waker(&waker))
            .is_pending();
        if waits {
            state.set = until;
            state.timer = Some(timer);
        }
        waits
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn due(&mut self, now: Moment) -> Vec<Waker> {
        let mut due = Vec::new();
        while let Some(first) = self.sleepers.first_entry() {
            if first.key().0 > now {
                break;
            }
            due.push(first.remove());
        }
        due
    }
}

/// The timer's, called by the reactor.
impl Wake for Deadlines {
    fn wake(self: Arc<Self>) {
        self.ring();
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Self {
            deadlines,
            until,
            place,
        } = &mut *self;
        let now = deadlines.clock.now();
        if now >= *until {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let mut state = deadlines.lock();
        let number = *place.get_or_insert_with(|| {
            state.next += 1;
            state.next
        });
        let before = state.sleepers.insert((*until, number), waker);
        let set = *until >= state.set || deadlines.set(&mut state, *until, now);
        drop(state);
        // Outside of the lock: it may be the last that holds a task, with what sleeps in it.
        drop(before);
        if !set {
            deadlines.ring();
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(number) = self.place {
            let mut state = self.deadlines.lock();
            let waker = state.sleepers.remove(&(self.until, number));
            drop(state);
            // As when it is polled.
            drop(waker);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_lite::future::{block_on, or, poll_once};

    const LITTLE: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(3_600);

    #[test]
    fn nobody_is_woken_before_the_clock_has_come_there() {
        let deadlines = Arc::new(Deadlines::new());
        for _ in 0..5 {
            let until = deadlines.clock.now().after(LITTLE);
            block_on(deadlines.sleep(LITTLE));
            assert!(deadlines.clock.now() >= until);
        }
        assert!(deadlines.lock().sleepers.is_empty());
    }

    #[test]
    fn who_comes_later_and_sleeps_shorter_is_woken_first() {
        let deadlines = Arc::new(Deadlines::new());
        let mut long = deadlines.sleep(LONG);
        block_on(async {
            assert!(poll_once(&mut long).await.is_none());
            let first = or(
                async {
                    long.await;
                    "long"
                },
                async {
                    deadlines.sleep(LITTLE).await;
                    "short"
                },
            );
            assert_eq!(first.await, "short");
        });
        assert!(
            deadlines.lock().sleepers.is_empty(),
            "who is gone has no place"
        );
    }

    #[test]
    fn many_who_sleep_to_one_moment_are_all_woken() {
        let deadlines = Arc::new(Deadlines::new());
        let all: Vec<_> = (0..100)
            .map(|_| smol::spawn(deadlines.sleep(LITTLE)))
            .collect();
        block_on(async {
            for one in all {
                one.await;
            }
        });
    }

    #[test]
    fn a_sleep_without_an_end_sets_no_timer() {
        let deadlines = Arc::new(Deadlines::new());
        let mut endless = deadlines.sleep(Duration::MAX);
        assert!(block_on(poll_once(&mut endless)).is_none());
        assert!(deadlines.lock().timer.is_none());
    }
}
