//! `help`: the commands, one line each.

use crate::command::{self, COMMANDS, Command};
use crate::stop::Stop;
use lexopt::Arg;

pub(crate) const COMMAND: Command = Command {
    name: "help",
    arguments: "[COMMAND]",
    about: "show this list, or one command",
    run,
};

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    match arguments.next()? {
        None => println!("Usage: cargo xtask COMMAND\n\n{}", list()),
        Some(Arg::Value(name)) => {
            let name = name.to_string_lossy();
            let command =
                command::find(&name).ok_or_else(|| Stop::Usage(command::unknown(&name)))?;
            println!("{}", line(command));
        }
        Some(other) => return Err(other.unexpected().into()),
    }
    command::no_more(arguments)
}

/// All commands, a line each, as `help` prints them and the README shows them.
pub(crate) fn list() -> String {
    COMMANDS.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn line(command: &Command) -> String {
    let call = format!("cargo xtask {} {}", command.name, command.arguments);
    format!("{:<45} {}", call.trim_end(), command.about)
}
