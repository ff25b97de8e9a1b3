//! `fmt`: the formatter.

use crate::command::{self, Command};
use crate::process;
use crate::stop::Stop;
use lexopt::Arg;

pub(crate) const COMMAND: Command = Command {
    name: "fmt",
    arguments: "[--check]",
    about: "format the code, or only say what would change",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    match arguments.next()? {
        None => process::run(&mut process::cargo(&["fmt", "--all"])),
        Some(Arg::Long("check")) => {
            command::no_more(arguments)?;
            check()
        }
        Some(other) => Err(other.unexpected().into()),
    }
}

/// Fails if the formatter would change anything.
pub(crate) fn check() -> Result<(), Stop> {
    process::run(&mut process::cargo(&["fmt", "--all", "--check"]))
}
