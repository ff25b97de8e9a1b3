//! What ends when a task has ended.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Waker};

use super::tasks::Tasks;
use crate::lock;

/// A task that was spawned: a future that ends with the task's value.
///
/// Dropping it lets the task go on; [`cancel`](Self::cancel) ends the task.
///
/// # Panics
/// Polling panics when the task was dropped unfinished, by
/// [`Virtual::drop_tasks`](crate::Virtual::drop_tasks) or by a panic of its own.
pub struct Spawned<T> {
    id: u64,
    tasks: Weak<Tasks>,
    end: Arc<End<T>>,
}

struct End<T>(Mutex<State<T>>);

struct State<T> {
    value: Option<T>,
    ended: bool,
    waker: Option<Waker>,
}

impl<T: Send + 'static> Spawned<T> {
    pub(super) fn start(
        tasks: &Arc<Tasks>,
        task: impl Future<Output = T> + Send + 'static,
    ) -> Self {
        let end = Arc::new(End(Mutex::new(State {
            value: None,
            ended: false,
            waker: None,
        })));
        let ending = Ending(Arc::clone(&end));
        let id = tasks.spawn(Box::pin(async move {
            let value = task.await;
            lock(&ending.0.0).value = Some(value);
        }));
        let tasks = Arc::downgrade(tasks);
        Self { id, tasks, end }
    }
}

impl<T> Spawned<T> {
    /// Whether the task has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        lock(&self.end.0).ended
    }

    /// Drops the task, as a caller does that hangs up.
    pub fn cancel(self) {
        if let Some(tasks) = self.tasks.upgrade() {
            tasks.cancel(self.id);
        }
    }

    /// The task's value; `None` when it was dropped unfinished.
    pub(super) fn poll_end(&self, context: &Context<'_>) -> Poll<Option<T>> {
        let waker = context.waker().clone();
        let mut state = lock(&self.end.0);
        if state.ended {
            return Poll::Ready(state.value.take());
        }
        let replaced = state.waker.replace(waker);
        drop(state);
        drop(replaced);
        Poll::Pending
    }
}

impl<T> Future for Spawned<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let end = self.poll_end(context);
        end.map(|value| value.expect("the task was dropped unfinished, or polled after its end"))
    }
}

impl<T> fmt::Debug for Spawned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Spawned");
        out.field("finished", &self.is_finished()).finish()
    }
}

/// Says, when dropped with the task's future, that the task has ended.
struct Ending<T>(Arc<End<T>>);

impl<T> Drop for Ending<T> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.0);
        state.ended = true;
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}
