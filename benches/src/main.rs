//! Benchmarks of larder against its peers; `cargo xtask bench` builds and starts them.
//!
//! An [`experiment`] measures and fills a [`larder_report::Report`]; it is shown here and kept in
//! `target/bench`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark is a table on a terminal"
)]

mod codec;
mod daemon;
mod delay;
mod experiment;
mod guarded;
mod kept;
mod latency;
mod load;
mod micro;
#[cfg(feature = "profile")]
mod profile;
mod progress;
mod redis;
mod seeds;
mod throughput;
mod trace;
mod turns;

use std::process::ExitCode;

use experiment::{EXPERIMENTS, Experiment, PART};
use larder_report::Scale;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((name, [])) if name == "publish" => end(kept::publish()),
        Some((name, rest)) => measure(name, rest),
        None => usage(),
    }
}

/// Runs what is named, or a part of it.
fn measure(name: &str, rest: &[String]) -> ExitCode {
    let quick = rest.first().is_some_and(|first| first == "--quick");
    let (scale, rest) = if quick {
        (Scale::Quick, &rest[1..])
    } else {
        (Scale::Full, rest)
    };
    let Some(chosen) = chosen(name) else {
        return usage();
    };
    end(match rest.split_first() {
        None => run_all(chosen, scale),
        Some((part, arguments)) if part == PART => (chosen[0].part)(scale, arguments),
        Some(_) => return usage(),
    })
}

fn end(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The experiment of a name, or all.
fn chosen(name: &str) -> Option<&'static [Experiment]> {
    if name == "all" {
        return Some(EXPERIMENTS);
    }
    let at = EXPERIMENTS.iter().position(|one| one.name == name)?;
    Some(&EXPERIMENTS[at..=at])
}

/// Runs one after the other, also after one has failed, and names those that did.
fn run_all(chosen: &[Experiment], scale: Scale) -> anyhow::Result<()> {
    let mut failed = Vec::new();
    for one in chosen {
        if let Err(error) = run(one, scale) {
            eprintln!("bench: {}: {error:#}", one.name);
            failed.push(one.name);
        }
    }
    anyhow::ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

/// Runs an experiment, shows what it found and keeps it.
fn run(experiment: &Experiment, scale: Scale) -> anyhow::Result<()> {
    let mut report = (experiment.run)(scale)?;
    kept::mark(&mut report);
    println!("{report}");
    let page = kept::keep(&report)?;
    println!("all that was measured here: {}\n", page.display());
    Ok(())
}

fn usage() -> ExitCode {
    let names: Vec<_> = EXPERIMENTS.iter().map(|one| one.name).collect();
    eprintln!("usage: cargo xtask bench {}|all [--quick]", names.join("|"));
    eprintln!("       cargo xtask bench publish");
    ExitCode::from(2)
}
