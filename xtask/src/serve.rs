//! `serve`: the example service, built and started.

use crate::command::Command;
use crate::process;
use crate::stop::Stop;

pub(crate) const COMMAND: Command = Command {
    name: "serve",
    arguments: "[--release] [SETTING…]",
    about: "build and run the deals service; settings go to it (`--listen`, …)",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let mut settings: Vec<_> = arguments.raw_args()?.collect();
    // Not optimised unless asked: it answers a minute earlier the first time, and `test` uses the
    // same objects.
    let release = settings.first().is_some_and(|first| first == "--release");
    let mut cargo = process::cargo(&["run", "--package", "larderd"]);
    if release {
        settings.remove(0);
        cargo.arg("--release");
    }
    process::become_program(cargo.arg("--").args(settings))
}
