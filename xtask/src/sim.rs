//! `sim`: runs of the simulator, in a package of its own so that this one stays light.

use std::process::Command as Program;

use crate::command::Command;
use crate::stop::Stop;
use crate::{mutants, process};

pub(crate) const COMMAND: Command = Command {
    name: "sim",
    arguments: "[OPTION…]",
    about: "runs from seeds, judged by the promises (`--seeds N`, `--seed S`, `--profile P`, `--trace`, `--mutants`)",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let arguments: Vec<_> = arguments.raw_args()?.collect();
    if arguments.first().is_some_and(|first| first == "--mutants") {
        return mutants::all();
    }
    process::become_program(cargo().args(arguments))
}

/// Runs as many as a change has to pass.
pub(crate) fn all() -> Result<(), Stop> {
    process::run(&mut cargo())
}

fn cargo() -> Program {
    let run = ["run", "--profile", "sim", "--package", "larder-sim", "--"];
    let mut cargo = process::cargo(&run);
    process::without_settings(&mut cargo);
    cargo
}
