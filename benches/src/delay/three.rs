//! Three requests at once.

use super::patience;
use crate::daemon::Daemon;
use crate::turns::median;
use anyhow::ensure;
use larder_load::{Http, Load};

/// Their sample times in milliseconds, the quickest first.
pub(super) struct Three([f64; 3]);

impl Three {
    /// Asks for a path with a delay in seconds.
    ///
    /// # Errors
    /// When one has no good answer.
    pub(super) fn ask(daemon: &Daemon, path: &str, delay: u64) -> anyhow::Result<Self> {
        let load = Load::new(Http::parse(&daemon.url(&format!("/{path}/{delay}")))?);
        let load = load.users(3).each(1).keep(3).timeout(patience(delay));
        let summary = load.run()?;
        ensure!(
            summary.successful == 3,
            "three requests: {:?}",
            summary.errors
        );
        let mut times = [0, 1, 2].map(|at| summary.samples[at].sample_ms);
        times.sort_by(f64::total_cmp);
        Ok(Self(times))
    }
}

/// The medians of the quickest, of the second and of the slowest.
pub(super) fn medians(rounds: &[Three]) -> [f64; 3] {
    [0, 1, 2].map(|at| median(rounds.iter().map(|three| three.0[at])))
}
