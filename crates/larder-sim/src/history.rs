//! What happened in a run, and the checks on it: each when the answer is given.

mod calls;
mod changes;
mod judge;
mod loads;
mod rests;
mod source;
mod used;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use larder_core::{Clock, Moment, Runtime};
use larder_kit::Virtual;

use crate::Trace;
use crate::plan::Setup;
use crate::violation::{Rule, Violation};

pub(crate) use calls::{Asked, Given, Seen};
pub(crate) use changes::{Changing, Effect, Item};
pub(crate) use loads::Running;
pub(crate) use source::Keeping;

use calls::Calls;
use changes::Changes;
use loads::Loads;
use rests::Rests;
use source::Source;
use used::Used;

/// A place in the order of all events. Time alone does not order them: many share a moment.
pub(crate) type Seq = u64;

/// Which start of which node: a node that crashed comes back as another life.
pub(crate) type Life = usize;

/// When something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) seq: Seq,
    pub(crate) at: Moment,
}

/// What happened in a run; clones are the same history.
#[derive(Clone)]
pub(crate) struct History(Arc<Shared>);

struct Shared {
    clock: Clock,
    setup: Setup,
    trace: Trace,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seq: Seq,
    broken: Option<Violation>,
    source: Source,
    changes: Changes,
    loads: Loads,
    rests: Rests,
    calls: Calls,
    used: Used,
}

impl History {
    pub(crate) fn new(time: &Virtual, setup: &Setup, trace: &Trace) -> Self {
        Self(Arc::new(Shared {
            clock: time.clock(),
            setup: setup.clone(),
            trace: trace.clone(),
            state: Mutex::new(State {
                source: Source::new(setup.keys),
                ..State::default()
            }),
        }))
    }

    /// The first thing that was broken.
    pub(crate) fn broken(&self) -> Option<Violation> {
        self.lock().broken.clone()
    }

    pub(crate) fn breaks(&self, rule: Rule, text: impl Into<String>) {
        let text = text.into();
        self.tell(|| format!("BROKEN {rule:?}: {text}"));
        let mut state = self.lock();
        state.broken.get_or_insert(Violation::new(rule, text));
    }

    /// Writes a line, if anybody is to read it.
    pub(crate) fn tell(&self, line: impl FnOnce() -> String) {
        self.0.trace.note(line);
    }

    /// A place in the order of all events, now.
    pub(crate) fn moment(&self) -> Seq {
        self.with(|_, stamp| stamp.seq)
    }

    /// One event.
    fn with<T>(&self, event: impl FnOnce(&mut State, Stamp) -> T) -> T {
        let mut state = self.lock();
        state.seq += 1;
        let stamp = Stamp {
            seq: state.seq,
            at: self.0.clock.now(),
        };
        event(&mut state, stamp)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        let state = self.0.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("History")
    }
}
