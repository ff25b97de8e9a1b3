//! Waiting for other processes.

use std::thread;
use std::time::{Duration, Instant};

/// Asks again and again, a few milliseconds apart, until `ready` gives something: for what happens in
/// another process and says nothing when it has happened.
///
/// # Panics
/// After a minute, with `what` was waited for.
#[expect(
    clippy::disallowed_methods,
    reason = "a server is a process of its own, in real time"
)]
pub fn until<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ready() {
            return answer;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        thread::sleep(PAUSE);
    }
}

/// A machine under load needs seconds for what takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(3);
