//! What can be run.

use std::process::Command;

use anyhow::{Context as _, ensure};
use larder_report::{Report, Scale};
use serde::de::DeserializeOwned;

#[cfg(feature = "profile")]
use crate::profile;
use crate::{codec, delay, latency, load, micro, redis, throughput, trace};

/// Something that is measured.
pub(crate) struct Experiment {
    /// As in `cargo xtask bench NAME`.
    pub(crate) name: &'static str,
    /// Measures all of it and says what it found.
    pub(crate) run: fn(Scale) -> anyhow::Result<Report>,
    /// What [`in_a_process`] starts, with the arguments that were given to it; what it prints to
    /// standard output is its answer.
    pub(crate) part: fn(Scale, &[String]) -> anyhow::Result<()>,
}

/// All of them, in the order of `bench all`.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "micro",
        run: micro::run,
        part: micro::one_start,
    },
    #[cfg(feature = "profile")]
    Experiment {
        name: "profile",
        run: profile::run,
        part: profile::one_start,
    },
    Experiment {
        name: "codec",
        run: codec::run,
        part: no_part,
    },
    Experiment {
        name: "throughput",
        run: throughput::run,
        part: throughput::one_start,
    },
    Experiment {
        name: "latency",
        run: latency::run,
        part: latency::one_start,
    },
    Experiment {
        name: "delay",
        run: delay::run,
        part: delay::part,
    },
    Experiment {
        name: "load",
        run: load::run,
        part: load::ask,
    },
    Experiment {
        name: "redis",
        run: redis::run,
        part: redis::one_start,
    },
    Experiment {
        name: "trace",
        run: trace::run,
        part: no_part,
    },
];

/// The argument behind which those of a part stand.
pub(crate) const PART: &str = "--part";

/// For an experiment that measures all in one process.
pub(crate) fn no_part(_: Scale, _: &[String]) -> anyhow::Result<()> {
    anyhow::bail!("this experiment has no parts")
}

/// As [`in_a_process`], for a part that prints one figure as JSON.
///
/// # Errors
/// As there, and when it printed something else.
pub(crate) fn figure<F: DeserializeOwned>(
    name: &str,
    scale: Scale,
    arguments: &[&str],
) -> anyhow::Result<F> {
    let figure = in_a_process(name, scale, arguments)?;
    serde_json::from_str(&figure).context("a process printed no figure")
}

/// Runs a part of an experiment in a process of its own, so that its memory, its processor time and
/// its luck with addresses are its own, and gives what it printed.
///
/// # Errors
/// When the process cannot be started or fails, with what it wrote to standard error.
pub(crate) fn in_a_process(name: &str, scale: Scale, arguments: &[&str]) -> anyhow::Result<String> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(name);
    if scale == Scale::Quick {
        command.arg("--quick");
    }
    let output = command.arg(PART).args(arguments).output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "a process of {name} failed ({}): {}",
        output.status,
        complaint.trim()
    );
    Ok(String::from_utf8(output.stdout)?)
}
