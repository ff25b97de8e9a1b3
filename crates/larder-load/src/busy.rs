//! How much of a core a thread has had.

use std::time::{Duration, Instant};

use crate::now::now;

/// Measures the thread that it is made on.
#[derive(Debug)]
pub(crate) struct Busy {
    begin: Instant,
    had: Option<Duration>,
}

impl Busy {
    pub(crate) fn new() -> Self {
        Self {
            begin: now(),
            had: processor_time(),
        }
    }

    /// The part of the time since then that the thread ran, where the machine says so.
    pub(crate) fn share(&self) -> Option<f64> {
        let had = processor_time()?.checked_sub(self.had?)?;
        Some(had.as_secs_f64() / (now() - self.begin).as_secs_f64().max(1e-9))
    }
}

#[cfg(target_os = "linux")]
fn processor_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).ok()?;
    Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> Option<Duration> {
    None
}
