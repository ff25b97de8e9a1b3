//! Running a change to its end, whoever leaves.

use std::future::Future;
use std::mem;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use event_listener::Event;
use futures_lite::FutureExt;
use larder_core::{Runtime, guard};

use super::{Change, FarTier, Item};

impl<V: Send + Sync + 'static> FarTier<V> {
    /// Runs a change of what `items` name to its end, whoever leaves.
    ///
    /// If a store, a codec or a value panics in it, what became of it is unknown like that of a
    /// change without an answer.
    pub(crate) async fn settle(
        self: &Arc<Self>,
        items: impl AsRef<[Item]> + Send + 'static,
        change: impl Future<Output = Change> + Send + 'static,
    ) -> Change {
        let (far, under_way) = (Arc::clone(self), self.changes.try_acquire());
        let change = async move {
            let done = AssertUnwindSafe(change).catch_unwind().await;
            let done = done.unwrap_or_else(|_| far.give_up(items.as_ref()));
            if done == Change::Done {
                far.note(items.as_ref());
            }
            drop(under_way);
            done
        };
        let done = guard!(
            RunsToItsEnd,
            to_its_end(self.runtime.as_ref(), change).await,
            Some(change.await)
        );
        // A runtime that drops tasks has ended, and the queue with it.
        done.unwrap_or(Change::Queued)
    }

    fn note(&self, items: &[Item]) {
        let now = self.clock.now();
        items.iter().for_each(|item| self.queue.note(item, now));
    }

    fn give_up(self: &Arc<Self>, items: &[Item]) -> Change {
        for item in items {
            self.queue(item.clone());
            self.raise(item);
        }
        Change::Queued
    }
}

/// Runs `change` as a task and waits for it; if the caller leaves, it goes on.
///
/// `None` if the runtime dropped the task unfinished.
async fn to_its_end<T: Send + 'static>(
    runtime: &dyn Runtime,
    change: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    let end = Arc::new(End {
        state: Mutex::new(State::Running),
        over: Event::new(),
    });
    let task = Task(Arc::clone(&end));
    runtime.spawn(Box::pin(async move {
        let result = change.await;
        *task.0.lock() = State::Ended(Some(result));
    }));
    loop {
        let heard = end.over.listen();
        if let State::Ended(result) = &mut *end.lock() {
            return mem::take(result);
        }
        heard.await;
    }
}

struct End<T> {
    state: Mutex<State<T>>,
    over: Event,
}

enum State<T> {
    Running,
    Ended(Option<T>),
}

impl<T> End<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells who waits that the task is over, finished or not.
struct Task<T>(Arc<End<T>>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if matches!(*state, State::Running) {
            *state = State::Ended(None);
        }
        drop(state);
        self.0.over.notify(usize::MAX);
    }
}
