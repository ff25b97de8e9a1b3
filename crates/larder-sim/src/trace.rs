//! What happened in a run, line by line.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use larder_core::Moment;
use larder_kit::Virtual;

/// What happened in a run, line by line; clones are the same trace. One that is off costs a look.
#[derive(Clone, Default)]
pub struct Trace(Option<Arc<Inner>>);

struct Inner {
    time: Virtual,
    start: Moment,
    lines: Mutex<Vec<String>>,
}

impl Trace {
    /// A trace that keeps nothing.
    #[must_use]
    pub fn off() -> Self {
        Self::default()
    }

    /// A trace that starts now.
    #[must_use]
    pub fn on(time: &Virtual) -> Self {
        Self(Some(Arc::new(Inner {
            time: time.clone(),
            start: time.now(),
            lines: Mutex::default(),
        })))
    }

    /// Adds a line; it is written only if the trace is on.
    pub fn note(&self, line: impl FnOnce() -> String) {
        let Some(inner) = &self.0 else {
            return;
        };
        let at = inner.time.now().since(inner.start).as_secs_f64() * 1000.0;
        let line = format!("{at:10.3} ms  {}", line());
        let mut lines = inner.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(line);
    }

    /// The lines so far.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let lines = |inner: &Arc<Inner>| {
            let lines = inner.lines.lock();
            lines.unwrap_or_else(PoisonError::into_inner).clone()
        };
        self.0.as_ref().map(lines).unwrap_or_default()
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trace({} lines)", self.lines().len())
    }
}
