//! `lint`: what the compiler's friends say.

use crate::command::{self, Command};
use crate::process;
use crate::stop::Stop;

pub(crate) const COMMAND: Command = Command {
    name: "lint",
    arguments: "",
    about: "clippy over all targets and the API docs, warnings as errors",
    run,
};

fn run(arguments: lexopt::Parser) -> Result<(), Stop> {
    command::no_more(arguments)?;
    check()
}

/// Fails on any warning of clippy or rustdoc.
pub(crate) fn check() -> Result<(), Stop> {
    process::run(&mut process::cargo(&[
        "clippy",
        "--workspace",
        // `docs --check` lints it: mdBook below it takes a minute to build.
        "--exclude",
        "larder-site",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ]))?;
    let mut doc = process::cargo(&["doc", "--workspace", "--no-deps", "--all-features"]);
    doc.args(["--exclude", "larder-site"]);
    process::run(doc.env("RUSTDOCFLAGS", "--deny warnings"))
}
