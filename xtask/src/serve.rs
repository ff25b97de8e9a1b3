//! `serve`: the example service, built and started.

use crate::command::Command;
use crate::process;
use crate::stop::Stop;
use std::ffi::OsString;
use std::process::Command as Program;

pub(crate) const COMMAND: Command = Command {
    name: "serve",
    arguments: "[--release] [SETTING…]",
    about: "build and run the deals service; settings go to it (`--listen`, …)",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    process::become_program(&mut program(arguments.raw_args()?.collect()))
}

/// Not optimised unless the first argument asks for it: it answers sooner the first time, and `test`
/// uses the same objects.
fn program(mut settings: Vec<OsString>) -> Program {
    let mut cargo = process::cargo(&["run", "--package", "larderd"]);
    if settings.first().is_some_and(|first| first == "--release") {
        settings.remove(0);
        cargo.arg("--release");
    }
    cargo.arg("--").args(settings);
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(settings: &[&str]) -> String {
        let program = program(settings.iter().map(OsString::from).collect());
        let words: Vec<_> = program
            .get_args()
            .map(|word| word.to_string_lossy())
            .collect();
        words.join(" ")
    }

    #[test]
    fn settings_go_to_the_service() {
        assert_eq!(
            arguments(&["--listen", "127.0.0.1:0"]),
            "run --package larderd -- --listen 127.0.0.1:0"
        );
    }

    #[test]
    fn only_the_first_release_is_ours() {
        assert_eq!(
            arguments(&["--release", "--release"]),
            "run --package larderd --release -- --release"
        );
    }
}
