//! `models`: the parts where threads meet, under a model checker.

use std::ffi::OsString;

use crate::command::Command;
use crate::process::{self, Cfg};
use crate::stop::Stop;

pub(crate) const COMMAND: Command = Command {
    name: "models",
    arguments: "[ARGUMENT…]",
    about: "flights and caches under a model checker; arguments as for `test`",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let extra: Vec<_> = arguments.raw_args()?.collect();
    all(&extra)
}

/// Runs every model, in a build of its own.
pub(crate) fn all(extra: &[OsString]) -> Result<(), Stop> {
    process::run(cargo().args(extra))
}

/// `cargo test` of the models alone.
pub(crate) fn cargo() -> std::process::Command {
    let mut cargo = process::cargo_with(Cfg::Models, &["test", "--test", "interleavings"]);
    cargo.args(["-p", "larder-flight", "-p", "larder-engine"]);
    cargo.args(["--features", "larder-engine/codec"]);
    cargo
}
