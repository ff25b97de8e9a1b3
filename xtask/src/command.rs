//! The table of commands, and how one is chosen.

use crate::stop::Stop;
use crate::{
    bench, ci, docs, doctor, fmt, graph, help, lint, models, redis, serve, sim, test, tidy,
};
use lexopt::Arg;

/// One thing the runner does.
pub(crate) struct Command {
    /// The word that names it on the command line.
    pub(crate) name: &'static str,
    /// What may follow the word, as `help` shows it; empty if nothing may.
    pub(crate) arguments: &'static str,
    /// One line that says what it does.
    pub(crate) about: &'static str,
    /// Does it; the parser stands behind the name.
    pub(crate) run: fn(lexopt::Parser) -> Result<(), Stop>,
}

/// Every command, in the order in which `help` and the README show them.
pub(crate) const COMMANDS: &[Command] = &[
    serve::COMMAND,
    test::COMMAND,
    models::COMMAND,
    ci::COMMAND,
    lint::COMMAND,
    fmt::COMMAND,
    tidy::COMMAND,
    graph::COMMAND,
    docs::COMMAND,
    bench::COMMAND,
    sim::COMMAND,
    redis::COMMAND,
    doctor::COMMAND,
    help::COMMAND,
];

/// Runs the command that the first argument names; without arguments it shows the help.
pub(crate) fn dispatch(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let name = match arguments.next()? {
        None | Some(Arg::Short('h') | Arg::Long("help")) => "help".to_owned(),
        Some(Arg::Value(name)) => name.to_string_lossy().into_owned(),
        Some(other) => return Err(other.unexpected().into()),
    };
    let command = find(&name).ok_or_else(|| Stop::Usage(unknown(&name)))?;
    (command.run)(arguments)
}

/// The command of this name.
pub(crate) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// The sentence for a name that no command has, with the nearest name if one is near.
pub(crate) fn unknown(name: &str) -> String {
    let guess = COMMANDS
        .iter()
        .map(|command| {
            (
                strsim::damerau_levenshtein(name, command.name),
                command.name,
            )
        })
        .min()
        .filter(|(distance, nearest)| *distance < nearest.len().min(3));
    match guess {
        Some((_, nearest)) => format!("no command `{name}`; did you mean `{nearest}`?"),
        None => format!("no command `{name}`"),
    }
}

/// Refuses whatever still stands on the command line.
pub(crate) fn no_more(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    match arguments.next()? {
        None => Ok(()),
        Some(argument) => Err(argument.unexpected().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dispatch_words(words: &[&str]) -> Result<(), Stop> {
        dispatch(lexopt::Parser::from_args(words))
    }

    #[test]
    fn an_unknown_command_is_a_usage_error_with_the_nearest_name() {
        let Err(Stop::Usage(why)) = dispatch_words(&["tset"]) else {
            panic!("must be a usage error")
        };
        assert_eq!(why, "no command `tset`; did you mean `test`?");
    }

    #[test]
    fn a_far_name_gets_no_guess() {
        assert_eq!(unknown("pineapple"), "no command `pineapple`");
    }

    #[test]
    fn an_argument_too_many_is_a_usage_error() {
        assert!(matches!(
            dispatch_words(&["tidy", "now"]),
            Err(Stop::Usage(_))
        ));
        assert!(matches!(
            dispatch_words(&["--verbose"]),
            Err(Stop::Usage(_))
        ));
    }

    #[test]
    fn names_are_unique() {
        for (at, command) in COMMANDS.iter().enumerate() {
            assert!(
                COMMANDS[..at]
                    .iter()
                    .all(|other| other.name != command.name),
                "{} twice",
                command.name
            );
        }
    }
}
