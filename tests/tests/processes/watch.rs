//! Time that passes for a test.

use std::time::{Duration, Instant};

/// A moment from which on time is counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch(Instant);

#[expect(
    clippy::disallowed_methods,
    reason = "what two processes see is bounded in time that no test can move"
)]
impl Watch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn passed(self) -> Duration {
        self.0.elapsed()
    }
}
