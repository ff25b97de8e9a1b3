//! The one place that asks the machine for the time.

use std::time::Instant;

/// The moment now, to the nanosecond as far as the machine has it.
#[expect(
    clippy::disallowed_methods,
    reason = "it measures microseconds in real time"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}
