//! A run of an experiment and all that it found.

use crate::{Machine, Plot, Seed, Table, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::process::Command;

/// How much a run measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// Enough for goals.
    Full,
    /// A look, in less than 45 seconds.
    Quick,
}

/// What an experiment found.
///
/// The fields are open: push tables, plots and verdicts as they come, then write it to a
/// [`Folder`](crate::Folder). `Display` is what a terminal shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Its name, as in `cargo xtask bench NAME`; the name of its file as well.
    pub experiment: String,
    /// What is measured, in a line.
    pub about: String,
    /// Whether it was only a look.
    pub quick: bool,
    /// How to run it again.
    pub command: String,
    /// The commit that was measured, with `-dirty` if files differed from it.
    pub commit: String,
    /// When it was made, in UTC to the second.
    pub date: String,
    /// Where it was made.
    pub machine: Machine,
    /// What took part, by name.
    pub versions: BTreeMap<String, String>,
    /// How it was measured, in sentences: rounds, what ran in which process, what is not comparable.
    pub notes: Vec<String>,
    /// The figures.
    pub tables: Vec<Table>,
    /// What is drawn of them.
    pub plots: Vec<Plot>,
    /// How they stand to the goals.
    pub verdicts: Vec<Verdict>,
    /// What the first articles found, beside ours.
    pub seeds: Vec<Seed>,
}

impl Report {
    /// A report without figures; asks git for the commit, `rustc` for its version and the system for
    /// the machine. Where one of them does not answer it says "unknown".
    pub fn new(experiment: impl Into<String>, about: impl Into<String>, scale: Scale) -> Self {
        let experiment = experiment.into();
        let quick = scale == Scale::Quick;
        let flag = if quick { " --quick" } else { "" };
        let date = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
        let mut report = Self {
            command: format!("cargo xtask bench {experiment}{flag}"),
            experiment,
            about: about.into(),
            quick,
            commit: said("git", &["describe", "--always", "--dirty", "--exclude=*"]),
            date: date.to_string(),
            machine: Machine::this(),
            versions: BTreeMap::new(),
            notes: Vec::new(),
            tables: Vec::new(),
            plots: Vec::new(),
            verdicts: Vec::new(),
            seeds: Vec::new(),
        };
        report.version("larder", env!("CARGO_PKG_VERSION"));
        let rustc = said("rustc", &["--version"]);
        report.version("rustc", rustc.trim_start_matches("rustc "));
        report
    }

    /// Says which version of something took part.
    pub fn version(&mut self, name: impl Into<String>, version: impl Into<String>) {
        self.versions.insert(name.into(), version.into());
    }

    /// Sentences on every baseline that is ahead of ours.
    pub fn ahead(&self) -> impl Iterator<Item = String> {
        self.verdicts.iter().filter_map(Verdict::ahead)
    }
}

/// What a program answers, in a line.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let good = output.ok().filter(|output| output.status.success());
    good.map_or_else(
        || "unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
