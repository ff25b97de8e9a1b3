//! What an experiment found, in one form for all of them: without it each benchmark would print
//! figures of its own kind, and nobody could lay two runs beside each other.
//!
//! A [`Report`] says what was run, on what machine, at which commit; it holds [`Table`]s, [`Plot`]s,
//! a [`Verdict`] for each goal that the experiment covers, and a [`Seed`] for each figure of the
//! articles that the project began with. A [`Folder`] keeps reports as JSON, one file an experiment;
//! [`html`] shows all of them on one page, [`page`] on one of the documentation site.
//!
//! This crate measures nothing, and knows no other crate of ours.
//!
//! ```
//! use larder_report::{Folder, Plot, Report, Scale, Seed, Table, Verdict};
//!
//! # let place = tempfile::tempdir()?;
//! # let folder = Folder::new(place.path().join("bench"));
//! let mut report = Report::new("delay", "three requests at once, two workers", Scale::Quick);
//! report.version("redis-server", "7.0.15");
//!
//! let mut table = Table::new("Three requests at once, ms", ["server", "first", "third"]);
//! table.row(["blocking", "1,002", "2,003"]);
//! table.row(["larder", "1,001", "1,001"]);
//! report.tables.push(table);
//!
//! let plot = Plot::bars("Three requests at once", "ms", ["first", "third"]);
//! report.plots.push(plot.series("blocking", [1002.0, 2003.0]).ours("larder", [1001.0, 1001.0]));
//!
//! let verdict = Verdict::lower("seed S3", "the single delay", 1.001);
//! report.verdicts.push(verdict.floor(1.05).goal(1.005));
//! report.seeds.push(Seed::new("third of three, blocking", "ms", 18_964.0, 2_003.0));
//!
//! folder.write(&report)?;
//! println!("{report}");
//! assert_eq!(folder.read()?.len(), 1);
//! # anyhow::Ok(())
//! ```

mod folder;
mod html;
mod machine;
mod number;
mod page;
mod plot;
mod report;
mod seed;
mod svg;
mod table;
mod text;
mod verdict;

pub use folder::Folder;
pub use html::html;
pub use machine::Machine;
pub use number::{count, number};
pub use page::page;
pub use plot::{Kind, Plot, Series};
pub use report::{Report, Scale};
pub use seed::Seed;
pub use table::Table;
pub use verdict::{Better, Standing, Verdict};
