//! Where blocking work runs.

use std::future::{poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use larder_core::{BlockingError, BoxFuture};

use super::spawned::Spawned;
use super::tasks::Tasks;
use crate::{Gate, lock};

type Work = Box<dyn FnOnce() + Send>;
type Answer = Result<(), BlockingError>;

/// A bound, and a gate before the work.
pub(super) struct Pool(Arc<Mutex<State>>);

struct State {
    bound: usize,
    accepted: usize,
    gate: Gate,
}

impl Default for Pool {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State {
            bound: usize::MAX,
            accepted: 0,
            gate: Gate::opened(),
        })))
    }
}

impl Pool {
    pub(super) fn set_bound(&self, bound: usize) {
        lock(&self.0).bound = bound;
    }

    pub(super) fn hold(&self) -> Gate {
        let gate = Gate::closed();
        lock(&self.0).gate = gate.clone();
        gate
    }

    pub(super) fn run(&self, tasks: &Arc<Tasks>, work: Work) -> BoxFuture<'static, Answer> {
        let Some((place, gate)) = Place::take(&self.0) else {
            return Box::pin(ready(Err(BlockingError::Busy)));
        };
        let done = Spawned::start(tasks, async move {
            gate.wait().await;
            let done = catch_unwind(AssertUnwindSafe(work));
            drop(place);
            done.map_err(|panic| BlockingError::from_panic(&*panic))
        });
        let gone = || Err(BlockingError::Panicked("the runtime ended".into()));
        Box::pin(poll_fn(move |context| {
            done.poll_end(context)
                .map(|answer| answer.unwrap_or_else(gone))
        }))
    }
}

/// Counts as accepted work until it is dropped.
struct Place(Arc<Mutex<State>>);

impl Place {
    fn take(pool: &Arc<Mutex<State>>) -> Option<(Self, Gate)> {
        let mut state = lock(pool);
        if state.accepted >= state.bound {
            return None;
        }
        state.accepted += 1;
        Some((Self(Arc::clone(pool)), state.gate.clone()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.0).accepted -= 1;
    }
}
