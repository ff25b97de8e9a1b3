//! A far tier that fails on purpose.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use larder_core::BoxFuture;
use larder_core::far::{
    Barrier, FarError, FarTicket, Guarded, Part, Put, Read, Space, Stored, Want,
};

use super::around::around;
use super::call::{Ask, FarCall, FarOperation};
use crate::{KitError, lock};

/// A far tier that fails on purpose, one operation at a time, and counts its calls; clones are the
/// same far tier.
///
/// It is over any other, [`SlowFar`](crate::SlowFar) among them: a slow one over one that fails
/// [late](Fault::Late) is a server that takes a command, never answers, and carries it out when
/// the caller has long left.
#[derive(Clone)]
pub struct FailingFar {
    far: Arc<dyn Guarded>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    plans: HashMap<FarOperation, Plan>,
    calls: HashMap<FarOperation, usize>,
    late: Vec<FarCall>,
    in_part: bool,
}

struct Plan {
    fault: Fault,
    times: usize,
}

/// How an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "all that can become of a command")]
pub enum Fault {
    /// It is not sent, and the error says so.
    NotSent,
    /// It is not sent because too many are under way, and the error says so.
    Busy,
    /// It is sent and lost: the error says that nothing is known, and nothing happens.
    Lost,
    /// It is carried out and the answer is lost: the error says that nothing is known.
    Done,
    /// It is sent and carried out when the test says: the error says that nothing is known.
    Late,
}

impl FailingFar {
    /// A far tier that does what `far` does, until it is told to fail.
    #[must_use]
    pub fn new(far: Arc<dyn Guarded>) -> Self {
        Self {
            far,
            state: Arc::default(),
        }
    }

    /// The next `times` calls of `operation` fail like this; `usize::MAX` is for ever. Takes the
    /// place of what was said of the operation before.
    pub fn fail(&self, operation: FarOperation, fault: Fault, times: usize) {
        let plan = Plan { fault, times };
        lock(&self.state).plans.insert(operation, plan);
    }

    /// All operations fail like this, until [`heal`](Self::heal).
    pub fn die(&self, fault: Fault) {
        for operation in FarOperation::ALL {
            self.fail(operation, fault, usize::MAX);
        }
    }

    /// Whether errors say from now on that the rest of the store [serves](FarError::in_part).
    pub fn in_part(&self, is: bool) {
        lock(&self.state).in_part = is;
    }

    /// Nothing fails any more. What is late stays late.
    pub fn heal(&self) {
        lock(&self.state).plans.clear();
    }

    /// How often `operation` was called, failed or not.
    #[must_use]
    pub fn calls(&self, operation: FarOperation) -> usize {
        lock(&self.state)
            .calls
            .get(&operation)
            .copied()
            .unwrap_or(0)
    }

    /// What failed [late](Fault::Late) since this was asked last, in the order of the calls: to be
    /// [run](FarCall::run) in any order, or dropped.
    #[must_use]
    pub fn late(&self) -> Vec<FarCall> {
        std::mem::take(&mut lock(&self.state).late)
    }

    /// Counts a call and takes one from the faults planned for it.
    fn fault(&self, operation: FarOperation) -> Option<Fault> {
        let mut state = lock(&self.state);
        *state.calls.entry(operation).or_default() += 1;
        let plan = state.plans.get_mut(&operation)?;
        if plan.times != usize::MAX {
            plan.times = plan.times.checked_sub(1)?;
        }
        Some(plan.fault)
    }

    async fn around<T>(
        &self,
        call: FarCall,
        run: BoxFuture<'_, Result<T, FarError>>,
    ) -> Result<T, FarError> {
        let error = KitError::new(format!("{:?} fails on purpose", call.operation()));
        let fault = self.fault(call.operation());
        match fault {
            None => return run.await,
            Some(Fault::Done) => drop(run.await?),
            Some(Fault::Late) => lock(&self.state).late.push(call),
            Some(Fault::NotSent | Fault::Busy | Fault::Lost) => {}
        }
        let error = match fault {
            Some(Fault::NotSent) => FarError::not_sent(error),
            Some(Fault::Busy) => FarError::busy(error),
            _ => FarError::unknown(error),
        };
        let in_part = lock(&self.state).in_part;
        Err(if in_part { error.in_part() } else { error })
    }
}

around!(FailingFar);

impl fmt::Debug for FailingFar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailingFar").finish_non_exhaustive()
    }
}
