//! Where what was found is kept: every run in `target/bench`, those worth showing in the site.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use larder_report::{Folder, Report};

/// Keeps what a run found: as JSON, its plots as files, and the page of all that lies there, which it
/// gives.
///
/// # Errors
/// When something cannot be written, or what lies there is no report.
pub(crate) fn keep(report: &Report) -> anyhow::Result<PathBuf> {
    let folder = Folder::new(root().join("target/bench"));
    folder.write(report)?;
    for (at, plot) in report.plots.iter().enumerate() {
        let name = format!("{}-{}.svg", report.experiment, at + 1);
        fs::write(folder.path().join(name), plot.svg())?;
    }
    let page = folder.path().join("report.html");
    fs::write(&page, larder_report::html(&folder.read()?))?;
    Ok(page)
}

/// Takes the full runs of `target/bench` into `docs/results`, and writes the site's page from all that
/// lie there; says what was taken and what was not.
///
/// # Errors
/// When a file cannot be read or written.
pub(crate) fn publish() -> anyhow::Result<()> {
    let root = root();
    let results = Folder::new(root.join("docs/results"));
    for report in Folder::new(root.join("target/bench")).read()? {
        let Report {
            experiment,
            command,
            date,
            ..
        } = &report;
        if report.quick || is_unoptimised(&report) {
            println!("left out: {experiment}, because `{command}` of {date} was only a look");
        } else {
            let path = results.write(&report)?;
            println!("taken: {} of {date}", path.display());
        }
    }
    let page = root.join("docs/src/explain/measurements.md");
    let text = larder_report::page(&results.read()?);
    fs::write(&page, text).with_context(|| format!("cannot write {}", page.display()))?;
    println!("written: {}", page.display());
    Ok(())
}

/// What a report of a build says that is for looking at its form alone.
const UNOPTIMISED: &str = "Not optimised: a build for looking at the form alone.";

/// Marks a report if this build is not optimised.
pub(crate) fn mark(report: &mut Report) {
    if cfg!(debug_assertions) {
        report.notes.push(UNOPTIMISED.to_owned());
    }
}

fn is_unoptimised(report: &Report) -> bool {
    report.notes.iter().any(|note| note == UNOPTIMISED)
}

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    // Set by `cargo run`; the compiled-in one would be wrong in a checkout that was moved.
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let parent = Path::new(&manifest).parent();
    parent.map_or_else(|| PathBuf::from("."), Path::to_owned)
}
