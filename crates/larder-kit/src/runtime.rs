//! The runtime with virtual time.

mod pool;
mod signal;
mod spawned;
mod tasks;
mod timers;

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use larder_core::{BlockingError, BoxFuture, Clock, ManualClock, Moment, Runtime};

use crate::{Gate, lock};
use pool::Pool;
use signal::{Flag, Signal};
use tasks::Tasks;
use timers::Timers;

pub use signal::Outside;
pub use spawned::Spawned;

/// A [`Runtime`] whose time stands still until a test moves it; clones are the same runtime.
///
/// Tasks run only inside [`block_on`](Self::block_on), [`run_until_idle`](Self::run_until_idle) and
/// [`advance`](Self::advance), in the order in which they were woken, on the calling thread: the
/// same program runs the same way each time. A task that panics makes the call that runs it panic.
///
/// Spawning and waking work from every thread, and several threads may drive one runtime; then the
/// order is theirs, and [`outside`](Self::outside) says that `block_on` may wait for them.
///
/// ```
/// use std::time::Duration;
/// use larder_core::Runtime;
/// let time = larder_kit::Virtual::new();
/// let hour = time.spawn(time.sleep(Duration::from_secs(3600)));
/// time.advance(Duration::from_secs(3599));
/// assert!(!hour.is_finished());
/// time.advance(Duration::from_secs(1));
/// assert!(hour.is_finished());
/// ```
#[derive(Clone)]
pub struct Virtual(Arc<Shared>);

struct Shared {
    auto: bool,
    random: Mutex<fastrand::Rng>,
    signal: Arc<Signal>,
    tasks: Arc<Tasks>,
    timers: Arc<Timers>,
    pool: Pool,
}

impl Virtual {
    /// A runtime whose time only [`advance`](Self::advance) moves.
    #[must_use]
    pub fn new() -> Self {
        Self::build(false, 0)
    }

    /// A runtime whose [`block_on`](Self::block_on) moves time to the next timer whenever nothing
    /// else can be done.
    #[must_use]
    pub fn auto() -> Self {
        Self::build(true, 0)
    }

    /// As [`new`](Self::new), with another sequence of random bits; `new` has the one of seed 0.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self::build(false, seed)
    }

    fn build(auto: bool, seed: u64) -> Self {
        let signal = Arc::new(Signal::default());
        Self(Arc::new(Shared {
            auto,
            random: Mutex::new(fastrand::Rng::with_seed(seed)),
            tasks: Tasks::new(Arc::clone(&signal)),
            timers: Arc::new(Timers::new(Arc::clone(&signal))),
            signal,
            pool: Pool::default(),
        }))
    }

    /// This runtime as a cache takes it.
    #[must_use]
    pub fn runtime(&self) -> Arc<dyn Runtime> {
        Arc::new(self.clone())
    }

    /// The hand of this runtime's clock. What it moves is a jump: the timers that were due fire
    /// afterwards, inside the next call that drives the runtime.
    #[must_use]
    pub fn hand(&self) -> ManualClock {
        self.0.timers.hand().clone()
    }

    /// The moment now.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.0.timers.now()
    }

    /// How many tasks are spawned and have not ended, blocking work that waits among them.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.0.tasks.len()
    }

    /// How many sleeps are waited for; one counts from its first poll until its end or drop.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        self.0.timers.len()
    }

    /// Runs a task, and gives what ends with its value. Dropping that lets the task go on.
    pub fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Spawned<T> {
        Spawned::start(&self.0.tasks, task)
    }

    /// Runs `future` and all tasks until `future` has ended. Time stands still, unless the runtime
    /// was made by [`auto`](Self::auto).
    ///
    /// # Panics
    /// When `future` waits, no task can run, and no [`outside`](Self::outside) is held: it would
    /// hang. The text names the next timer.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let (flag, waker) = Flag::raised(&self.0.signal);
        loop {
            let seen = self.0.signal.count();
            if flag.lower() {
                if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return value;
                }
            } else if !self.turn() {
                self.idle(seen);
            }
        }
    }

    /// Runs all tasks until each waits or has ended. Time stands still.
    pub fn run_until_idle(&self) {
        while self.turn() {}
    }

    /// Moves time forward by `by`, from timer to timer: the tasks run until idle, then the next
    /// timer fires at its own moment, and so on. Timers of one moment fire in the order in which
    /// they were first polled.
    pub fn advance(&self, by: Duration) {
        let end = self.now().after(by);
        self.run_until_idle();
        while self.0.timers.move_to_next(end) {
            self.run_until_idle();
        }
        self.0.timers.move_to(end);
    }

    /// Drops all tasks that have not ended, as a runtime does that ends itself.
    pub fn drop_tasks(&self) {
        self.0.tasks.clear();
    }

    /// Says that another thread takes part: while the result lives, [`block_on`](Self::block_on)
    /// waits for it where it would panic otherwise.
    pub fn outside(&self) -> Outside {
        Outside::new(&self.0.signal)
    }

    /// From now on blocking work waits at the gate returned, until that is opened.
    ///
    /// Without it, work runs inside the call that drives the runtime, as a task of its own.
    #[must_use]
    pub fn hold_blocking(&self) -> Gate {
        self.0.pool.hold()
    }

    /// Allows `bound` pieces of blocking work at once; without it there is no bound.
    pub fn bound_blocking(&self, bound: usize) {
        self.0.pool.set_bound(bound);
    }

    /// Runs one task that is ready or fires one timer that is due, and says if there was any.
    fn turn(&self) -> bool {
        self.0.tasks.run_next() || self.0.timers.fire_due()
    }

    fn idle(&self, seen: u64) {
        if self.0.signal.wait_outside(seen) {
            return;
        }
        if self.0.auto && self.0.timers.move_to_next(Moment::MAX) {
            return;
        }
        // Something may have been woken between the last look at it and here.
        assert!(self.0.signal.count() != seen, "stuck: {}", self.stuck());
    }

    fn stuck(&self) -> String {
        let tasks = self.tasks();
        match self.0.timers.next() {
            Some(due) => {
                let left = due.since(self.now());
                format!(
                    "{tasks} tasks wait, and time stands still; the next timer is due in {left:?}"
                )
            }
            None => format!("{tasks} tasks wait, and no timer is set"),
        }
    }
}

impl Default for Virtual {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Virtual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Virtual");
        out.field("now", &self.now()).field("tasks", &self.tasks());
        out.field("sleepers", &self.sleepers()).finish()
    }
}

impl Runtime for Virtual {
    fn clock(&self) -> Clock {
        self.0.timers.hand().clock()
    }

    /// The duration counts from this call. A sleep of zero ends at its first poll; one of a runtime
    /// that is gone never does.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(timers::Sleep::new(&self.0.timers, duration))
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.0.tasks.spawn(task);
    }

    fn blocking(
        &self,
        work: Box<dyn FnOnce() + Send>,
    ) -> BoxFuture<'static, Result<(), BlockingError>> {
        self.0.pool.run(&self.0.tasks, work)
    }

    fn random(&self) -> u64 {
        lock(&self.0.random).u64(..)
    }
}
