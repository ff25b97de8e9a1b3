//! `tidy`: the house rules that the compiler does not know.
//!
//! Each rule is a function from files to problems, so that its test is a handful of bad lines.

mod answers;
mod book;
mod manifest;
mod named;
mod readme;
mod rust;
mod size;
mod text;

use crate::command::{self, Command};
use crate::files::{self, File};
use crate::problem::{self, Problem};
use crate::stop::Stop;

pub(crate) const COMMAND: Command = Command {
    name: "tidy",
    arguments: "",
    about: "house rules over every file; long files and functions are only shown",
    run,
};

/// A house rule.
type Rule = fn(&[File]) -> Vec<Problem>;

/// Every rule that fails the check.
const RULES: &[Rule] = &[
    text::check,
    rust::check,
    manifest::check,
    readme::check,
    answers::check,
    book::check,
    named::check,
];

fn run(arguments: lexopt::Parser) -> Result<(), Stop> {
    command::no_more(arguments)?;
    check()
}

/// Fails if any rule finds something.
pub(crate) fn check() -> Result<(), Stop> {
    let files = files::all(&files::root())?;
    for long in size::check(&files) {
        println!("long: {long}");
    }
    let problems: Vec<_> = RULES.iter().flat_map(|rule| rule(&files)).collect();
    problem::report("tidy", &problems)
}

#[cfg(test)]
pub(crate) fn file(path: &str, text: &str) -> File {
    File {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}
