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
mod experiment;
mod micro;
mod progress;

use std::process::ExitCode;

use experiment::{EXPERIMENTS, Experiment, PART};
use larder_report::Scale;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        return usage();
    };
    let quick = rest.first().is_some_and(|first| first == "--quick");
    let (scale, rest) = if quick {
        (Scale::Quick, &rest[1..])
    } else {
        (Scale::Full, rest)
    };
    let Some(chosen) = chosen(name) else {
        return usage();
    };
    let result = match rest.split_first() {
        None => chosen.iter().try_for_each(|one| run(one, scale)),
        Some((part, arguments)) if part == PART => (chosen[0].part)(scale, arguments),
        Some(_) => return usage(),
    };
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

/// Runs an experiment, shows what it found and keeps it.
fn run(experiment: &Experiment, scale: Scale) -> anyhow::Result<()> {
    let report = (experiment.run)(scale)?;
    println!("{report}");
    let kept = experiment::folder().write(&report)?;
    println!("kept in {}\n", kept.display());
    Ok(())
}

fn usage() -> ExitCode {
    let names: Vec<_> = EXPERIMENTS.iter().map(|one| one.name).collect();
    eprintln!("usage: cargo xtask bench {}|all [--quick]", names.join("|"));
    ExitCode::from(2)
}
