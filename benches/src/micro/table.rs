//! The table that a run ends with.

use super::figure::{Figure, median};
use super::subjects::SUBJECTS;
use super::{Plan, SIZES};
use std::process::Command;
use std::thread;

/// All figures of a run, a line for a subject and size.
pub(super) fn render(plan: &Plan, figures: &[Figure]) -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let Plan {
        starts,
        rounds,
        hits,
        ..
    } = plan;
    let mut lines = vec![
        format!(
            "commit {}, {cores} cores, {} {}",
            commit(),
            std::env::consts::OS,
            std::env::consts::ARCH
        ),
        format!(
            "median of {starts} processes, each the median of {rounds} rounds of {hits} random hits"
        ),
        String::new(),
        format!(
            "{:<33} {:>7} {:>8} {:>7} {:>13}  {:<22} {:>12}",
            "hit through", "entries", "ns", "ratio", "(processes)", "to", "allocations"
        ),
    ];
    for size in SIZES {
        for subject in &SUBJECTS {
            let of_subject =
                |figure: &&Figure| figure.size == size && figure.subject == subject.name;
            let mine: Vec<_> = figures.iter().filter(of_subject).collect();
            lines.push(line(subject.name, subject.against, size, &mine));
        }
    }
    lines.join("\n")
}

fn line(name: &str, against: &str, size: usize, figures: &[&Figure]) -> String {
    let all = |number: fn(&Figure) -> f64| {
        figures
            .iter()
            .map(|figure| number(figure))
            .collect::<Vec<_>>()
    };
    let ratios = all(|figure| figure.ratio);
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    format!(
        "{name:<33} {size:>7} {:>8.1} {:>7.2} {:>13}  {against:<22} {:>12.4}",
        median(all(|figure| figure.nanoseconds)),
        median(ratios),
        format!("({least:.2}-{most:.2})"),
        median(all(|figure| figure.allocations)),
    )
}

/// The commit that was measured, marked if the files differ from it.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let name = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let changed = git(&["status", "--porcelain"]).is_some_and(|changes| !changes.is_empty());
    if changed {
        format!("{name} with changes")
    } else {
        name
    }
}
