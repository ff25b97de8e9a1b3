//! Very many requests at once, on one thread.

use super::patience;
use crate::daemon::Daemon;
use larder_load::{Http, Load, Summary};
use std::path::Path;

/// What one run of a crowd has shown.
pub(super) struct Crowd {
    pub(super) delay: u64,
    pub(super) summary: Summary,
    /// The most memory of the server, in MiB.
    pub(super) memory: f64,
    /// How many threads the log names.
    pub(super) threads: usize,
}

impl Crowd {
    /// Starts a server with one thread and lets so many ask it at once.
    ///
    /// # Errors
    /// When the server does not start or ends badly. Who has no answer is in the summary.
    pub(super) fn ask(
        program: &Path,
        upstream: &str,
        size: usize,
        delay: u64,
    ) -> anyhow::Result<Self> {
        let [most, connections] = [size, size + 50].map(|number| number.to_string());
        let settings = [
            "--upstream",
            upstream,
            "--workers",
            "1",
            "--delays",
            &most,
            "--connections",
            &connections,
        ];
        let daemon = Daemon::start(program, &settings)?;
        let load = Load::new(Http::parse(&daemon.url(&format!("/delay/{delay}")))?);
        let load = load.users(size).each(1).connect_first(true);
        let summary = load.timeout(patience(delay)).run()?;
        let memory = daemon.memory()?;
        let threads = daemon.end()?.awaited.len();
        Ok(Self {
            delay,
            summary,
            memory,
            threads,
        })
    }

    /// From the first request to the last answer, as a multiple of the delay.
    pub(super) fn ratio(&self) -> f64 {
        self.summary.run_time_s / self.delay as f64
    }

    /// Whether everybody had an answer.
    pub(super) fn is_whole(&self) -> bool {
        self.summary.successful == self.summary.users as u64
    }
}
