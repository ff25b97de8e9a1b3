//! The runner of the larder workspace: `cargo xtask COMMAND`.
//!
//! One file a command; [`command`] holds the table of them. A command ends with code 0 when all
//! went well, 1 when something it ran or checked failed, 2 when it was called wrongly.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a runner talks to a terminal"
)]

mod bench;
mod ci;
mod command;
mod docs;
mod doctor;
mod files;
mod fmt;
mod graph;
mod help;
mod lint;
mod models;
mod mutants;
mod problem;
mod process;
mod redis;
mod serve;
mod servers;
mod sim;
mod source;
mod stop;
mod test;
mod tidy;

use std::process::ExitCode;

fn main() -> ExitCode {
    match command::dispatch(lexopt::Parser::from_env()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            eprintln!("{stop}");
            stop.code()
        }
    }
}
