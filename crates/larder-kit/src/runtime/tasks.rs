//! The tasks of a runtime and the order in which they run.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Wake, Waker};

use larder_core::BoxFuture;

use super::signal::Signal;
use crate::lock;

type Future = BoxFuture<'static, ()>;

/// The tasks of a runtime. Futures are polled and dropped under no lock.
pub(super) struct Tasks {
    state: Mutex<State>,
    signal: Arc<Signal>,
    this: Weak<Self>,
}

#[derive(Default)]
struct State {
    /// In order, because they are dropped in it when all are.
    tasks: BTreeMap<u64, Task>,
    ready: VecDeque<u64>,
    last: u64,
}

struct Task {
    /// `None` while it is polled; then it does not stand in `ready`.
    future: Option<Future>,
    woken: bool,
    waker: Waker,
}

impl Tasks {
    pub(super) fn new(signal: Arc<Signal>) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            state: Mutex::default(),
            signal,
            this: Weak::clone(this),
        })
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.state).tasks.len()
    }

    /// Adds a task, ready to run, and gives its number.
    pub(super) fn spawn(&self, future: Future) -> u64 {
        let mut state = lock(&self.state);
        state.last += 1;
        let id = state.last;
        // Weak, so that a waker kept by a task's own future keeps no runtime alive.
        let tasks = Weak::clone(&self.this);
        let task = Task {
            future: Some(future),
            woken: false,
            waker: Waker::from(Arc::new(TaskWaker { id, tasks })),
        };
        state.tasks.insert(id, task);
        drop(state);
        self.wake(id);
        id
    }

    /// Drops a task, if it has not ended.
    pub(super) fn cancel(&self, id: u64) {
        let cancelled = lock(&self.state).tasks.remove(&id);
        drop(cancelled);
    }

    pub(super) fn clear(&self) {
        let all = std::mem::take(&mut lock(&self.state).tasks);
        drop(all);
    }

    /// Polls the task that was woken first, and says if there was one.
    pub(super) fn run_next(&self) -> bool {
        let Some((id, mut future, waker)) = self.take_next() else {
            return false;
        };
        let mut context = Context::from_waker(&waker);
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut context))) {
            Ok(Poll::Pending) => self.put_back(id, future),
            Ok(Poll::Ready(())) => self.cancel(id),
            Err(panic) => {
                self.cancel(id);
                resume_unwind(panic);
            }
        }
        true
    }

    fn take_next(&self) -> Option<(u64, Future, Waker)> {
        let mut state = lock(&self.state);
        loop {
            let id = state.ready.pop_front()?;
            // Cancelled tasks leave their number behind.
            let Some(task) = state.tasks.get_mut(&id) else {
                continue;
            };
            task.woken = false;
            if let Some(future) = task.future.take() {
                return Some((id, future, task.waker.clone()));
            }
        }
    }

    fn put_back(&self, id: u64, future: Future) {
        let mut state = lock(&self.state);
        let State { tasks, ready, .. } = &mut *state;
        let Some(task) = tasks.get_mut(&id) else {
            drop(state);
            drop(future);
            return;
        };
        task.future = Some(future);
        if task.woken {
            ready.push_back(id);
        }
    }

    fn wake(&self, id: u64) {
        let mut state = lock(&self.state);
        let State { tasks, ready, .. } = &mut *state;
        if let Some(task) = tasks.get_mut(&id) {
            if !task.woken && task.future.is_some() {
                ready.push_back(id);
            }
            task.woken = true;
        }
        drop(state);
        self.signal.raise();
    }
}

struct TaskWaker {
    id: u64,
    tasks: Weak<Tasks>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(tasks) = self.tasks.upgrade() {
            tasks.wake(self.id);
        }
    }
}
