//! `micro`: what a hit costs, next to a bare quick_cache, to moka and to cached;
//! and what room an entry takes.
//!
//! Ratios of one interleaved run are what can be compared; the nanoseconds beside them are this
//! machine's. A process may be lucky with where its code and memory lie, so one run is several
//! processes, and a ratio is the median of their medians.

mod figure;
mod room;
mod rounds;
mod subjects;
mod table;

use anyhow::{Context as _, ensure};
use figure::Figure;
use std::process::Command;
use std::sync::Arc;
use subjects::Subjects;

pub(crate) use figure::median;
pub(crate) use rounds::thread_time;

/// The argument by which a run starts itself once more.
pub(crate) const ONE_START: &str = "--one-start";

/// How much is measured.
pub(crate) struct Plan {
    /// The argument that chooses it, if one does.
    argument: Option<&'static str>,
    /// Processes, one after the other.
    starts: usize,
    /// Rounds in a process; a round measures every subject once.
    rounds: usize,
    /// Hits of one subject in one round.
    hits: usize,
}

/// What the goals are measured with.
pub(crate) const FULL: Plan = Plan {
    argument: None,
    starts: 5,
    rounds: 31,
    hits: 65_536,
};

/// A look in a few seconds.
pub(crate) const QUICK: Plan = Plan {
    argument: Some("--quick"),
    starts: 3,
    rounds: 9,
    hits: 16_384,
};

/// Resident entries.
const SIZES: [usize; 2] = [1_000, 100_000];

/// Measures in several processes and prints the table.
///
/// # Errors
/// When a process cannot be started or fails.
pub(crate) fn run(plan: &Plan) -> anyhow::Result<()> {
    let mut figures = Vec::new();
    for start in 1..=plan.starts {
        eprintln!("start {start} of {}", plan.starts);
        figures.extend(in_another_process(plan)?);
    }
    println!("{}", table::render(plan, &figures));
    println!("\n{}", room::render()?);
    Ok(())
}

fn in_another_process(plan: &Plan) -> anyhow::Result<Vec<Figure>> {
    let program = std::env::current_exe()?;
    let output = Command::new(program)
        .arg("micro")
        .args(plan.argument)
        .arg(ONE_START)
        .output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "a process failed ({}): {}",
        output.status,
        complaint.trim()
    );
    let text = String::from_utf8(output.stdout)?;
    text.lines()
        .map(|line| Figure::parse(line).with_context(|| format!("no figure: {line}")))
        .collect()
}

/// Measures in this process and prints a line a figure.
///
/// # Errors
/// When a subject missed, so that something else than hits was measured.
pub(crate) fn one_start(plan: &Plan) -> anyhow::Result<()> {
    let subjects = Arc::new(Subjects::new());
    for size in SIZES {
        // On the loads' own executor: two threads waking each other would take most of the time.
        smol::block_on(smol::spawn(Arc::clone(&subjects).fill(size)))?;
        for figure in rounds::measure(plan, &subjects, size)? {
            println!("{figure}");
        }
    }
    Ok(())
}
