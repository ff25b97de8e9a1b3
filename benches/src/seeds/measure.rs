//! What users do in a time, and what that takes.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, ensure};

use super::clock;
use super::figure::Figure;
use super::stage::{Stage, Tally};
use super::usage;

/// How long users work: before what is measured, and in it.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) warm: Duration,
    pub(crate) measured: Duration,
}

/// Waits until users work, lets them for a while, and then for a time that is measured. Also gives how many requests
/// they made in all.
///
/// # Errors
/// Those of `work`, and when the server does not say what it has used.
pub(crate) fn measure(
    times: Times,
    port: u16,
    work: impl FnOnce(&Arc<Stage>) -> anyhow::Result<Tally> + Send,
) -> anyhow::Result<(Figure, u64)> {
    let stage = Arc::default();
    let mut meter = usage::Meter::new(port)?;
    thread::scope(|scope| {
        let users = scope.spawn(|| work(&stage));
        let ending = stage.ending();
        while !stage.works() && !users.is_finished() {
            clock::pause(Duration::from_millis(1));
        }
        clock::pause(times.warm);
        let before = meter.read()?;
        let began = stage.begin();
        clock::pause(times.measured);
        drop(ending);
        let time = (clock::now() - began).as_secs_f64();
        let after = meter.read()?;
        let tally = users.join().map_err(|_| anyhow!("the users panicked"))??;
        let executed = tally.executed();
        ensure!(
            executed > 0,
            "no request ended in the time that is measured"
        );
        let each = |after: Duration, before: Duration| {
            (after - before).as_secs_f64() * 1e6 / executed as f64
        };
        let figure = Figure {
            time,
            executed,
            successful: tally.successful(),
            peak: tally.peak(time),
            p50: tally.within(0.5),
            p99: tally.within(0.99),
            ours: each(after.ours, before.ours),
            server: each(after.server, before.server),
            memory: usage::peak_memory().unwrap_or_default() as f64 / 1_024.0,
            failure: tally.why.as_ref().map(|why| format!("{why:#}")),
            source: None,
        };
        Ok((figure, tally.ever))
    })
}
