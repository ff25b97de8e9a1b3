//! `test`: every test of the workspace.

use crate::command::Command;
use crate::stop::Stop;
use crate::{models, mutants, process, servers, sim};
use std::ffi::OsString;

pub(crate) const COMMAND: Command = Command {
    name: "test",
    arguments: "[--all-servers] [ARGUMENT…]",
    about: "run every test, or those over Redis on every version; arguments go to `cargo test`",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let mut extra: Vec<_> = arguments.raw_args()?.collect();
    if extra.first().is_some_and(|first| first == "--all-servers") {
        extra.remove(0);
        return servers::all(&extra);
    }
    all(&extra)
}

/// Runs unit tests, `tests/` and documentation blocks of every crate, with the service's settings
/// unset; and, if that is not narrowed, what talks to a server over a second one, the models, the
/// simulator and what guards are good for.
pub(crate) fn all(extra: &[OsString]) -> Result<(), Stop> {
    // To the end: a run that starts from nothing is too dear to tell of one failure at a time.
    let mut cargo = process::cargo(&["test", "--workspace", "--no-fail-fast"]);
    // The benches bring peers along, which are dear to build for the few tests of how they count: `lint`
    // is what keeps them compiling. The site's
    // builder brings mdBook along; `docs --check` lints and tests it.
    cargo.args(["--exclude", "larder-bench", "--exclude", "larder-site"]);
    cargo.args(extra);
    let tests = process::run(process::without_settings(&mut cargo));
    if !extra.is_empty() {
        return tests;
    }
    let servers = servers::oldest();
    let (models, sim, mutants) = (models::all(&[]), sim::all(), mutants::all());
    tests.and(servers).and(models).and(sim).and(mutants)
}
