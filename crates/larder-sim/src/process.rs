//! A node's process: what can be paused while time goes on, and killed at any point.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use larder_core::{BlockingError, BoxFuture, Clock, Runtime};
use larder_kit::{Spawned, Virtual};

/// A [`Runtime`] whose tasks run on a shared [`Virtual`] one, all of them or none: while the process
/// is paused none runs, and once it is killed none is left. Clones are the same process.
#[derive(Clone)]
pub(crate) struct Process(Arc<Shared>);

struct Shared {
    time: Virtual,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    phase: Phase,
    bodies: Vec<Weak<dyn Body>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    Running,
    Paused,
    Dead,
}

impl Process {
    pub(crate) fn start(time: &Virtual) -> Self {
        Self(Arc::new(Shared {
            time: time.clone(),
            state: Mutex::default(),
        }))
    }

    /// Runs a task, until it has ended or the process is killed: then it ends with nothing.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Spawned<Option<T>> {
        let inside = Arc::new(Inside(Mutex::new(Held {
            task: Some(Box::pin(task)),
            waker: None,
        })));
        let body = Arc::downgrade(&inside);
        let mut state = self.lock();
        if state.bodies.len() == state.bodies.capacity() {
            state.bodies.retain(|body| body.strong_count() > 0);
        }
        state.bodies.push(body);
        let dead = state.phase == Phase::Dead;
        drop(state);
        if dead {
            drop(inside.take());
        }
        let process = self.clone();
        self.0.time.spawn(Member { process, inside })
    }

    pub(crate) fn pause(&self) {
        self.enter(Phase::Paused);
    }

    pub(crate) fn resume(&self) {
        self.enter(Phase::Running);
        for body in self.bodies() {
            body.wake();
        }
    }

    /// Drops all that runs, wherever it stands.
    pub(crate) fn kill(&self) {
        self.enter(Phase::Dead);
        for body in self.bodies() {
            body.kill();
        }
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.lock().phase == Phase::Paused
    }

    fn enter(&self, phase: Phase) {
        let mut state = self.lock();
        if state.phase != Phase::Dead {
            state.phase = phase;
        }
    }

    fn bodies(&self) -> Vec<Arc<dyn Body>> {
        self.lock()
            .bodies
            .iter()
            .filter_map(Weak::upgrade)
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0.state)
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Process")
    }
}

impl Runtime for Process {
    fn clock(&self) -> Clock {
        self.0.time.clock()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Runtime::sleep(&self.0.time, duration)
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        drop(self.run(task));
    }

    fn blocking(
        &self,
        work: Box<dyn FnOnce() + Send>,
    ) -> BoxFuture<'static, Result<(), BlockingError>> {
        self.0.time.blocking(work)
    }

    fn random(&self) -> u64 {
        self.0.time.random()
    }
}

/// A task as its process sees it.
trait Body: Send + Sync {
    fn wake(&self);
    fn kill(&self);
}

struct Inside<T>(Mutex<Held<T>>);

struct Held<T> {
    task: Option<BoxFuture<'static, T>>,
    waker: Option<Waker>,
}

impl<T> Inside<T> {
    fn take(&self) -> Option<BoxFuture<'static, T>> {
        lock(&self.0).task.take()
    }
}

impl<T> Body for Inside<T> {
    fn wake(&self) {
        let waker = lock(&self.0).waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn kill(&self) {
        let task = self.take();
        drop(task);
        self.wake();
    }
}

/// A task on the shared runtime.
struct Member<T> {
    process: Process,
    inside: Arc<Inside<T>>,
}

impl<T> Future for Member<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let paused = self.process.is_paused();
        let mut held = lock(&self.inside.0);
        held.waker = Some(context.waker().clone());
        if paused && held.task.is_some() {
            return Poll::Pending;
        }
        let Some(mut task) = held.task.take() else {
            return Poll::Ready(None);
        };
        drop(held);
        match task.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => {
                lock(&self.inside.0).task = Some(task);
                Poll::Pending
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
