//! `graph`: who may depend on whom, and which foreign types may be seen where.
//!
//! The rules are tables in the modules below; the page `docs/src/contributing/architecture.md` says why they are so.
//! What is looked at is the build for this machine with all features, as cargo itself resolves it.

mod apart;
mod layers;
mod surface;
mod tree;

use crate::command::{self, Command};
use crate::files;
use crate::problem;
use crate::stop::Stop;

pub(crate) const COMMAND: Command = Command {
    name: "graph",
    arguments: "",
    about: "rules between crates, and the size of the library's tree",
    run,
};

fn run(arguments: lexopt::Parser) -> Result<(), Stop> {
    command::no_more(arguments)?;
    check()
}

/// Fails if a crate knows what it must not know, or shows what it must hide.
pub(crate) fn check() -> Result<(), Stop> {
    let mut problems = layers::check(&tree::edges("normal,build")?, &tree::edges("dev")?);
    for rule in apart::RULES {
        problems.extend(apart::check(rule, &tree::below(rule.package)?));
    }
    problems.extend(apart::check_tokio(&tree::whole()?));

    let facade = tree::below(apart::FACADE)?;
    let count = apart::count(&facade);
    println!(
        "{}: {count} crates of at most {}",
        apart::FACADE,
        apart::MOST_CRATES
    );
    problems.extend(apart::check_count(count));

    problems.extend(surface::check(&files::all(&files::root())?));
    problem::report("graph", &problems)
}
