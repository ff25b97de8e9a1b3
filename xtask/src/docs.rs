//! `docs`: the documentation site, built by a package of its own so that this one stays light.

use crate::command::{self, Command};
use crate::files;
use crate::process;
use crate::stop::Stop;
use lexopt::Arg;
use std::path::PathBuf;

pub(crate) const COMMAND: Command = Command {
    name: "docs",
    arguments: "[--open|--check|serve]",
    about: "build book and API docs into target/site; show them, or look for faults",
    run,
};

/// Packages without a public face.
const PRIVATE: &[&str] = &[
    "larder-bench",
    "larder-site",
    "larder-tests",
    "larderd",
    "xtask",
];

/// The package that builds the site.
const BUILDER: &str = "larder-site";

fn run(mut arguments: lexopt::Parser) -> Result<(), Stop> {
    let task = match arguments.next()? {
        None => "build",
        Some(Arg::Long("open")) => "open",
        Some(Arg::Long("check")) => "check",
        Some(Arg::Value(word)) if word == "serve" => "serve",
        Some(other) => return Err(other.unexpected().into()),
    };
    command::no_more(arguments)?;
    if task == "check" {
        return check();
    }
    build(task)
}

/// Fails on a fault of the builder or of the site: a warning, a failing test, a link that leads
/// nowhere, a complaint in a browser.
pub(crate) fn check() -> Result<(), Stop> {
    let lint = [
        "clippy",
        "--package",
        BUILDER,
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ];
    process::run(&mut process::cargo(&lint))?;
    process::run(&mut process::cargo(&["test", "--package", BUILDER]))?;
    build("check")
}

fn build(task: &str) -> Result<(), Stop> {
    let target = target();
    let api = target.join("doc");
    // Pages of what a crate has no more would stay, and the site would show them.
    if api.is_dir() {
        std::fs::remove_dir_all(&api)?;
    }
    let mut doc = process::cargo(&["doc", "--workspace", "--no-deps", "--all-features"]);
    doc.args(PRIVATE.iter().flat_map(|name| ["--exclude", name]));
    // Its warnings are for `lint` to refuse.
    process::run(&mut doc)?;
    let mut builder = process::cargo(&["run", "--quiet", "--package", BUILDER, "--"]);
    builder.arg(files::root().join("docs")).arg(api);
    process::run(builder.arg(target.join("site")).arg(task))
}

/// Where cargo puts what it builds, as far as the environment says it.
fn target() -> PathBuf {
    let given = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    files::root().join(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_task_is_a_usage_error() {
        for words in [&["build"][..], &["--serve"], &["--open", "serve"]] {
            let refused = run(lexopt::Parser::from_args(words));
            assert!(matches!(refused, Err(Stop::Usage(_))), "{words:?}");
        }
    }
}
