//! `test`: every test of the workspace.

use crate::command::Command;
use crate::stop::Stop;
use crate::{models, mutants, process, sim};
use std::ffi::OsString;

pub(crate) const COMMAND: Command = Command {
    name: "test",
    arguments: "[ARGUMENT…]",
    about: "run every test; arguments go to `cargo test` (a filter, `-- --nocapture`)",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let extra: Vec<_> = arguments.raw_args()?.collect();
    all(&extra)
}

/// Runs unit tests, `tests/` and documentation blocks of every crate, with the service's settings
/// unset; and, if that is not narrowed, the models, the simulator and what guards are good for.
pub(crate) fn all(extra: &[OsString]) -> Result<(), Stop> {
    // To the end: a run that starts from nothing is too dear to tell of one failure at a time.
    let mut cargo = process::cargo(&["test", "--workspace", "--no-fail-fast"]);
    // The benches hold no tests and bring peers along; `lint` is what keeps them compiling. The site's
    // builder brings mdBook along; `docs --check` lints and tests it.
    cargo.args(["--exclude", "larder-bench", "--exclude", "larder-site"]);
    cargo.args(extra);
    let tests = process::run(process::without_settings(&mut cargo));
    if !extra.is_empty() {
        return tests;
    }
    let (models, sim, mutants) = (models::all(&[]), sim::all(), mutants::all());
    tests.and(models).and(sim).and(mutants)
}
