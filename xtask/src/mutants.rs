//! Takes the guards out, one by one: a test must fail then, or the simulator find something.
//!
//! Which one is said by the page that explains the guards, so that the page is what was run.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::files;
use crate::models;
use crate::process::{self, Cfg};
use crate::stop::Stop;

const PAGE: &str = "docs/src/contributing/mutants.md";
const GUARDS: &str = "crates/larder-core/src/guards.rs";

/// Where tests read which guards are out.
const WITHOUT: &str = "WITHOUT_GUARDS";

/// A row of the page.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    guard: &'a str,
    /// The test that fails without it, if there is one.
    test: Option<&'a str>,
    /// The profile in which the simulator finds that it is out, and within how many seeds.
    seeds: Option<&'a str>,
}

/// Takes out every guard that there is.
pub(crate) fn all() -> Result<(), Stop> {
    let page = read(PAGE)?;
    let rows = rows(&page);
    let faults = faults(&rows, &guards(&read(GUARDS)?));
    if !faults.is_empty() {
        return Err(Stop::Failed(faults.join("\n")));
    }
    in_place(&rows)?;
    // The scenarios of the simulator take their guards out themselves.
    process::run(mutants("it").args(["--", "directed::"]))?;
    let mut missed = Vec::new();
    for row in &rows {
        if let Some(test) = row.test {
            let caught = is_caught(row.guard, test)?;
            let verdict = if caught { "fails" } else { "PASSES" };
            println!("without {:<22} {verdict} {test}", row.guard);
            missed.extend((!caught).then_some(row.guard));
        }
    }
    let seeds = process::run(mutants("mutants").args(["--", "--nocapture"]));
    if !missed.is_empty() {
        let missed = missed.join(", ");
        return Err(Stop::Failed(format!("not missed by its test: {missed}")));
    }
    seeds
}

fn read(path: &str) -> Result<String, Stop> {
    let path = files::root().join(Path::new(path));
    Ok(std::fs::read_to_string(path)?)
}

/// The rows of the page: guard, what it is, test, seeds.
fn rows(page: &str) -> Vec<Row<'_>> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let rows = rows.map(|line| {
        let mut cells = line.split('|').skip(1).map(|cell| cell.trim());
        let mut next = || cells.next().map(|cell| cell.trim_matches('`'));
        let guard = next().unwrap_or_default();
        let _ = next();
        let mut filled = || next().filter(|cell| !cell.is_empty());
        let (test, seeds) = (filled(), filled());
        Row { guard, test, seeds }
    });
    rows.collect()
}

/// The names in the list of guards.
fn guards(code: &str) -> Vec<&str> {
    let list = code.split("\n    guards! {").nth(1).unwrap_or_default();
    let list = list.split("\n    }").next().unwrap_or_default();
    let names = list.lines().filter_map(|line| line.strip_suffix(','));
    names.map(str::trim).collect()
}

/// What is wrong with the page.
fn faults(rows: &[Row<'_>], guards: &[&str]) -> Vec<String> {
    let unnamed = guards
        .iter()
        .filter(|guard| rows.iter().all(|row| row.guard != **guard));
    let unnamed = unnamed.map(|guard| format!("{PAGE}: has no row for {guard}"));
    let rows = rows.iter().filter_map(|row| {
        let Row { guard, test, seeds } = row;
        if !guards.contains(guard) {
            return Some(format!("{PAGE}: there is no guard {guard}"));
        }
        let judged = test.is_some() || seeds.is_some();
        (!judged).then(|| format!("{PAGE}: nothing would miss {guard}"))
    });
    unnamed.chain(rows).collect()
}

/// With every guard in place the tests of the page are there, and pass.
fn in_place(rows: &[Row<'_>]) -> Result<(), Stop> {
    let mut tests: Vec<_> = rows.iter().filter_map(|row| row.test).collect();
    tests.sort_unstable();
    tests.dedup();
    let (of_models, others): (Vec<_>, Vec<_>) = tests.into_iter().partition(|test| is_model(test));
    let mut failed = Vec::new();
    for (mut cargo, tests) in [(models::cargo(), of_models), (mutants("it"), others)] {
        cargo.args(["--", "--exact"]).args(&tests);
        let output = cargo.stderr(Stdio::inherit()).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let passes = |test: &&str| text.contains(&format!("test {test} ... ok"));
        failed.extend(tests.into_iter().filter(|test| !passes(test)));
    }
    if failed.is_empty() {
        return Ok(());
    }
    let failed = failed.join(", ");
    let why = format!("{PAGE}: with every guard in place these fail, or are not there: {failed}");
    Err(Stop::Failed(why))
}

fn is_caught(guard: &str, test: &str) -> Result<bool, Stop> {
    let mut cargo = match is_model(test) {
        true => models::cargo(),
        false => mutants("it"),
    };
    cargo
        .arg("--quiet")
        .env(WITHOUT, guard)
        .args(["--", "--exact", test]);
    let output = cargo.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(!output.status.success() && text.contains("0 passed; 1 failed"))
}

fn is_model(test: &str) -> bool {
    test.starts_with("models::")
}

/// `cargo test` of one target of the crates that have guards, and of the simulator. All of them
/// each time: their features must be the same.
fn mutants(target: &str) -> Command {
    let mut cargo = process::cargo_with(Cfg::Mutants, &["test", "--no-fail-fast"]);
    for package in [
        "larder-engine",
        "larder-flight",
        "larder-memory",
        "larder-sim",
    ] {
        cargo.args(["-p", package]);
    }
    cargo.args(["--features", "larder-engine/codec", "--test", target]);
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| Guard | What | Test | Seeds |\n|---|---|---|---|\n\
        | `Fence` | far: no | `far::no` | puts 20 |\n| `Gap` | bus: no | | |\n";

    #[test]
    fn rows_are_read() {
        let fence = Row {
            guard: "Fence",
            test: Some("far::no"),
            seeds: Some("puts 20"),
        };
        assert_eq!(rows(TABLE)[0], fence);
        assert_eq!(rows(TABLE)[1].test, None);
    }

    #[test]
    fn each_guard_needs_a_row_and_each_row_a_judge() {
        let seen = faults(&rows(TABLE), &["Fence", "Jump"]);
        assert_eq!(seen.len(), 2, "{seen:?}");
        assert!(seen[0].contains("no row for Jump") && seen[1].contains("no guard Gap"));
        let seen = faults(&rows(TABLE), &["Fence", "Gap"]);
        assert!(seen[0].contains("nothing would miss Gap"), "{seen:?}");
    }

    #[test]
    fn the_page_has_a_row_for_every_guard_of_the_code() {
        let (page, code) = (read(PAGE).expect("a page"), read(GUARDS).expect("a list"));
        let guards = guards(&code);
        assert!(guards.len() > 40, "{guards:?}");
        assert_eq!(faults(&rows(&page), &guards), Vec::<String>::new());
    }
}
