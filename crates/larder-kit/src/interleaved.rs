//! A runtime for the model checker.

use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;

use larder_core::{BlockingError, BoxFuture, Clock, ManualClock, Moment, Runtime};
use shuttle::future::JoinHandle;
use shuttle::rand::RngCore;
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner};

use crate::lock;

/// A runtime inside a run of the model checker, which chooses who goes on next; clones are the same
/// runtime. Time stands still until [`advance`](Self::advance) moves it.
///
/// Only in builds with `--cfg larder_shuttle`, and only inside `shuttle::check_random` and its like.
#[derive(Clone, Default)]
pub struct Interleaved(Arc<Inner>);

#[derive(Default)]
struct Inner {
    hand: ManualClock,
    /// Who sleeps until when. No switch of threads happens while it is locked.
    asleep: Mutex<Vec<(Moment, Waker)>>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// From then on nobody sleeps.
    ended: AtomicBool,
}

/// How many schedules [`Interleaved::check`] tries, with each of the two ways to choose them.
const RUNS: usize = 400;

/// Few switches of threads, each at any moment, find most faults.
const SWITCHES: usize = 3;

/// Bytes of stack for each thread and task of a model. The checker's own 32 KiB are few for futures
/// that are not optimised, and past their end there is no panic but a fault of the memory.
const STACK: usize = 1 << 20;

impl Interleaved {
    /// Tries a model under 800 schedules, always the same ones. Panics with the first under which
    /// the model panics, a thread waits for ever, or one spins.
    pub fn check(model: impl Fn() + Copy + Send + Sync + 'static) {
        let random = RandomScheduler::new_from_seed(1, RUNS);
        Runner::new(random, config()).run(model);
        let few = PctScheduler::new_from_seed(1, SWITCHES, RUNS);
        Runner::new(few, config()).run(model);
    }

    /// A runtime that nobody uses yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The moment now.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.0.hand.clock().now()
    }

    /// Moves time on and wakes whose time has come.
    pub fn advance(&self, by: Duration) {
        self.0.hand.advance(by);
        self.wake();
    }

    fn wake(&self) {
        let mut due = Vec::new();
        lock(&self.0.asleep).retain(|(until, waker)| {
            let over = self.0.is_over(*until);
            if over {
                due.push(waker.clone());
            }
            !over
        });
        due.into_iter().for_each(Waker::wake);
    }
}

fn config() -> Config {
    let mut config = Config::new();
    config.stack_size = STACK;
    config
}

impl Inner {
    fn is_over(&self, until: Moment) -> bool {
        self.ended.load(Ordering::SeqCst) || self.hand.clock().now() >= until
    }
}

impl Interleaved {
    /// Ends all sleep, now and from now on, and waits for every task that was spawned. One that never
    /// ends fails the run.
    ///
    /// To be called at the end of a model: what is left over then is dropped outside of it.
    pub async fn rest(&self) {
        self.0.ended.store(true, Ordering::SeqCst);
        self.wake();
        loop {
            let task = lock(&self.0.tasks).pop();
            let Some(task) = task else {
                return;
            };
            // A task that panicked has failed the run already.
            let _ = task.await;
        }
    }
}

impl Runtime for Interleaved {
    fn clock(&self) -> Clock {
        self.0.hand.clock()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let (inner, until) = (Arc::clone(&self.0), self.now().after(duration));
        Box::pin(poll_fn(move |context| {
            let mut asleep = lock(&inner.asleep);
            if inner.is_over(until) {
                return Poll::Ready(());
            }
            asleep.push((until, context.waker().clone()));
            Poll::Pending
        }))
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        let task = shuttle::future::spawn(task);
        lock(&self.0.tasks).push(task);
    }

    /// Runs the work at once, on the calling thread.
    fn blocking(
        &self,
        work: Box<dyn FnOnce() + Send>,
    ) -> BoxFuture<'static, Result<(), BlockingError>> {
        work();
        Box::pin(std::future::ready(Ok(())))
    }

    fn random(&self) -> u64 {
        shuttle::rand::thread_rng().next_u64()
    }
}

impl fmt::Debug for Interleaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interleaved")
    }
}
