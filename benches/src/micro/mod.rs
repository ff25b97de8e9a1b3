//! `micro`: what a hit costs, next to a bare quick_cache, to moka and to cached; what a miss, a key's
//! text and a load for many cost; and what room an entry takes.
//!
//! Ratios of one interleaved run are what can be compared; the nanoseconds beside them are this
//! machine's. A process may be lucky with where its code and memory lie, so one run is several
//! processes, and a ratio is the median of their medians.

mod figure;
mod goals;
#[cfg(feature = "profile")]
mod hits;
mod keys;
mod parts;
mod room;
mod rounds;
mod subjects;
mod table;

use crate::experiment;
use crate::progress;
use anyhow::Context as _;
use figure::Figure;
use larder_report::{Report, Scale};
use std::sync::Arc;
use subjects::Subjects;

#[cfg(feature = "profile")]
pub(crate) use hits::{Hits, hits};
pub(crate) use rounds::thread_time;
#[cfg(feature = "profile")]
pub(crate) use subjects::PROFILED;

/// How much is measured.
struct Plan {
    /// Processes, one after the other.
    starts: usize,
    /// Rounds in a process; a round measures every subject once.
    rounds: usize,
    /// Hits of one subject in one round.
    hits: usize,
}

/// What the goals are measured with.
const FULL: Plan = Plan {
    starts: 5,
    rounds: 31,
    hits: 65_536,
};

/// A look in a few seconds.
const QUICK: Plan = Plan {
    starts: 3,
    rounds: 9,
    hits: 16_384,
};

/// Resident entries.
pub(crate) const SIZES: [usize; 2] = [1_000, 100_000];

impl Plan {
    fn of(scale: Scale) -> &'static Self {
        match scale {
            Scale::Quick => &QUICK,
            _ => &FULL,
        }
    }
}

/// Measures in several processes.
///
/// # Errors
/// When a process cannot be started or fails.
pub(crate) fn run(scale: Scale) -> anyhow::Result<Report> {
    let plan = Plan::of(scale);
    let mut figures = Vec::new();
    let bar = progress::bar("micro", plan.starts);
    for _ in 0..plan.starts {
        let text = experiment::in_a_process("micro", scale, &[])?;
        for line in text.lines() {
            figures.push(Figure::parse(line).with_context(|| format!("no figure: {line}"))?);
        }
        bar.inc(1);
    }
    let about = "what a hit, a miss, a key and a shared load cost in the process, beside peers";
    let mut report = Report::new("micro", about, scale);
    report.notes.push(plan.to_string());
    report.tables.extend(table::hits(&figures));
    report.tables.push(table::parts(&figures));
    report.plots.extend(table::plots(&figures));
    report.plots.extend(table::plots_of_parts(&figures));
    let rooms = room::measure()?;
    report.tables.push(room::table(&rooms));
    report.verdicts.extend(goals::verdicts(&figures, &rooms));
    Ok(report)
}

/// Measures in this process and prints a line a figure.
///
/// # Errors
/// When a subject missed, so that something else than hits was measured.
pub(crate) fn one_start(scale: Scale, _: &[String]) -> anyhow::Result<()> {
    let plan = Plan::of(scale);
    let subjects = Arc::new(Subjects::new());
    for size in SIZES {
        // On the loads' own executor: two threads waking each other would take most of the time.
        smol::block_on(smol::spawn(Arc::clone(&subjects).fill(size)))?;
        for figure in rounds::measure(plan, &subjects, size)? {
            println!("{figure}");
        }
    }
    for figure in parts::measure(plan)? {
        println!("{figure}");
    }
    Ok(())
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            starts,
            rounds,
            hits,
        } = self;
        write!(
            f,
            "Median of {starts} processes, each the median of {rounds} rounds of {hits} random hits; a \
             ratio is that of one round. Processor time: of the thread that asks for hits, of the process for the rest."
        )
    }
}
