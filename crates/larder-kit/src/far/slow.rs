//! A far tier that lets its callers wait.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use larder_core::far::{
    Barrier, FarError, FarTicket, Guarded, Part, Put, Read, Space, Stored, Want,
};
use larder_core::{BoxFuture, Runtime};

use super::around::around;
use super::call::{Ask, FarCall, FarOperation};
use crate::{Gate, lock};

/// A far tier that lets its callers wait, before an operation or for its answer; clones are the
/// same far tier.
///
/// A caller that leaves before the operation has changed nothing; one that leaves after it has.
#[derive(Clone)]
pub struct SlowFar {
    far: Arc<dyn Guarded>,
    waits: Arc<Mutex<HashMap<(When, FarOperation), Wait>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum When {
    Before,
    After,
}

#[derive(Clone)]
enum Wait {
    At(Gate),
    For(Arc<dyn Runtime>, Duration),
}

impl SlowFar {
    /// A far tier as quick as `far`, until it is told to wait.
    #[must_use]
    pub fn new(far: Arc<dyn Guarded>) -> Self {
        Self {
            far,
            waits: Arc::default(),
        }
    }

    /// From now on `operation` begins when the gate returned is open.
    #[must_use]
    pub fn hold_before(&self, operation: FarOperation) -> Gate {
        self.hold(When::Before, operation)
    }

    /// From now on `operation` is carried out at once and answers when the gate returned is open.
    #[must_use]
    pub fn hold_after(&self, operation: FarOperation) -> Gate {
        self.hold(When::After, operation)
    }

    /// From now on `operation` begins after `delay`, by the time of `runtime`.
    pub fn delay(&self, operation: FarOperation, delay: Duration, runtime: Arc<dyn Runtime>) {
        let wait = Wait::For(runtime, delay);
        lock(&self.waits).insert((When::Before, operation), wait);
    }

    /// From now on nothing waits; who waits already does so still.
    pub fn hurry(&self) {
        lock(&self.waits).clear();
    }

    fn hold(&self, when: When, operation: FarOperation) -> Gate {
        let gate = Gate::closed();
        let wait = Wait::At(gate.clone());
        lock(&self.waits).insert((when, operation), wait);
        gate
    }

    async fn wait(&self, when: When, operation: FarOperation) {
        let wait = lock(&self.waits).get(&(when, operation)).cloned();
        match wait {
            None => {}
            Some(Wait::At(gate)) => gate.wait().await,
            Some(Wait::For(runtime, delay)) => runtime.sleep(delay).await,
        }
    }

    async fn around<T>(
        &self,
        call: FarCall,
        run: BoxFuture<'_, Result<T, FarError>>,
    ) -> Result<T, FarError> {
        self.wait(When::Before, call.operation()).await;
        let answer = run.await;
        self.wait(When::After, call.operation()).await;
        answer
    }
}

around!(SlowFar);

impl fmt::Debug for SlowFar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlowFar").finish_non_exhaustive()
    }
}
