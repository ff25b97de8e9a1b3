//! Real time: a load is measured in it, and takes it.

use std::time::{Duration, Instant};

#[expect(
    clippy::disallowed_methods,
    reason = "what is measured is how long things really take"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

#[expect(
    clippy::disallowed_methods,
    reason = "callers who block are what is measured"
)]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}
