//! Running a change to its end, whoever leaves.

use std::future::Future;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use event_listener::Event;
use larder_core::Runtime;

/// Runs `change` as a task and waits for it; if the caller leaves, it goes on.
///
/// `None` if the runtime dropped the task unfinished.
pub(crate) async fn to_its_end<T: Send + 'static>(
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
