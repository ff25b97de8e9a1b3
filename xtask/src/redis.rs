//! `redis`: servers for development, by a package of their own so that this one stays light.

use crate::command::{self, Command};
use crate::stop::Stop;
use crate::{files, process};
use lexopt::Arg;
use std::process::Command as Program;

pub(crate) const COMMAND: Command = Command {
    name: "redis",
    arguments: "up|down|status",
    about: "start Redis here and print its URL (`up --sentinel`, `--cluster`, `--tls`); end it; show it",
    run,
};

fn run(arguments: lexopt::Parser) -> Result<(), Stop> {
    let words = words(arguments)?;
    let folder = files::root().join("target").join("redis");
    // Not quiet: the first build takes minutes, and silence looks as if it hung.
    let mut program = process::cargo(&["run", "--package", "larder-servers", "--", words[0]]);
    program.arg(folder).args(&words[1..]);
    process::become_program(&mut program)
}

/// What is asked for, checked here: a build is too long a wait for a mistake.
fn words(mut arguments: lexopt::Parser) -> Result<Vec<&'static str>, Stop> {
    let task = match arguments.next()? {
        Some(Arg::Value(word)) => word.to_string_lossy().into_owned(),
        None => return Err(Stop::Usage("say `up`, `down` or `status`".to_owned())),
        Some(other) => return Err(other.unexpected().into()),
    };
    let mut words = match &task[..] {
        "up" => vec!["up"],
        "down" => vec!["down"],
        "status" => vec!["status"],
        _ => {
            return Err(Stop::Usage(format!(
                "`{task}` is not `up`, `down` or `status`"
            )));
        }
    };
    if task == "up" {
        match arguments.next()? {
            None => {}
            Some(Arg::Long("sentinel")) => words.push("--sentinel"),
            Some(Arg::Long("cluster")) => words.push("--cluster"),
            Some(Arg::Long("tls")) => words.push("--tls"),
            Some(other) => return Err(other.unexpected().into()),
        }
    }
    command::no_more(arguments)?;
    Ok(words)
}

/// The package that starts servers, for one who reads what it says.
pub(crate) fn servers(words: &[&str]) -> Program {
    let mut cargo = process::cargo(&["run", "--quiet", "--package", "larder-servers", "--"]);
    cargo.args(words);
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(said: &[&str]) -> Result<Vec<&'static str>, Stop> {
        words(lexopt::Parser::from_args(said))
    }

    #[test]
    fn a_task_and_what_to_start_are_handed_on() {
        assert_eq!(said(&["up"]).unwrap(), ["up"]);
        assert_eq!(said(&["up", "--cluster"]).unwrap(), ["up", "--cluster"]);
        assert_eq!(said(&["down"]).unwrap(), ["down"]);
    }

    #[test]
    fn what_is_no_task_is_a_usage_error() {
        for wrong in [
            &[][..],
            &["start"],
            &["--cluster"],
            &["down", "--cluster"],
            &["up", "--cluster", "--tls"],
        ] {
            assert!(matches!(said(wrong), Err(Stop::Usage(_))), "{wrong:?}");
        }
    }
}
