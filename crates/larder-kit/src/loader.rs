//! A source that does what a test tells it to.

mod step;

use std::collections::{HashMap, VecDeque};
use std::fmt::{self, Display};
use std::sync::{Arc, Mutex};

use larder_core::{BoxFuture, Runtime};

use crate::{KitError, lock};

pub use step::Step;

/// A source that counts its calls and does what a test tells it to; clones are the same source.
///
/// Left alone it gives `value-for-<key>` at once.
///
/// ```
/// use larder_kit::{Loader, Step, Virtual};
/// let time = Virtual::new();
/// let loader = Loader::new(time.runtime());
/// loader.then(Step::error("no line"));
/// assert!(time.block_on(loader.call(7)).is_err());
/// assert_eq!(time.block_on(loader.call(7)).as_deref(), Ok("value-for-7"));
/// assert_eq!(loader.calls(), 2);
/// ```
#[derive(Clone)]
pub struct Loader {
    runtime: Arc<dyn Runtime>,
    state: Arc<Mutex<State>>,
}

struct State {
    script: VecDeque<Step>,
    otherwise: Step,
    calls: HashMap<String, usize>,
    running: usize,
}

impl Loader {
    /// A source whose delays are those of `runtime`.
    #[must_use]
    pub fn new(runtime: Arc<dyn Runtime>) -> Self {
        let state = State {
            script: VecDeque::new(),
            otherwise: Step::echo(),
            calls: HashMap::new(),
            running: 0,
        };
        Self {
            runtime,
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Adds what the next call does that has not been told yet.
    pub fn then(&self, step: Step) -> &Self {
        lock(&self.state).script.push_back(step);
        self
    }

    /// Sets what a call does that has not been told otherwise.
    pub fn always(&self, step: Step) -> &Self {
        lock(&self.state).otherwise = step;
        self
    }

    /// How often it was called. A call counts when its future is first polled.
    #[must_use]
    pub fn calls(&self) -> usize {
        lock(&self.state).calls.values().sum()
    }

    /// How often it was called with this key.
    #[must_use]
    pub fn calls_of(&self, key: impl Display) -> usize {
        let key = key.to_string();
        lock(&self.state).calls.get(&key).copied().unwrap_or(0)
    }

    /// How many calls have begun and neither ended nor been dropped.
    #[must_use]
    pub fn running(&self) -> usize {
        lock(&self.state).running
    }

    /// Looks a value up, which may be absent.
    ///
    /// # Errors
    /// The script says so.
    ///
    /// # Panics
    /// The script says so.
    pub fn find(&self, key: impl Display) -> BoxFuture<'static, Result<Option<String>, KitError>> {
        let (source, key) = (self.clone(), key.to_string());
        Box::pin(async move {
            let (step, _running) = source.begin(&key);
            step.play(&*source.runtime, &key).await
        })
    }

    /// Looks a value up.
    ///
    /// # Errors
    /// The script says so, or the value is absent.
    ///
    /// # Panics
    /// The script says so.
    pub fn call(&self, key: impl Display) -> BoxFuture<'static, Result<String, KitError>> {
        let absent = KitError::new(format!("nothing for {key}"));
        let found = self.find(key);
        Box::pin(async move { found.await?.ok_or(absent) })
    }

    fn begin(&self, key: &str) -> (Step, Running) {
        let mut state = lock(&self.state);
        *state.calls.entry(key.to_owned()).or_default() += 1;
        state.running += 1;
        let told = state.script.pop_front();
        let step = told.unwrap_or_else(|| state.otherwise.clone());
        (step, Running(Arc::clone(&self.state)))
    }
}

impl fmt::Debug for Loader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Loader");
        out.field("calls", &self.calls());
        out.field("running", &self.running()).finish()
    }
}

struct Running(Arc<Mutex<State>>);

impl Drop for Running {
    fn drop(&mut self) {
        lock(&self.0).running -= 1;
    }
}
