//! `doctor`: what this machine has of what the other commands need.

use crate::command::{self, Command};
use crate::process;
use crate::stop::Stop;
use std::io::Write as _;
use std::process::{Command as Program, Stdio};

pub(crate) const COMMAND: Command = Command {
    name: "doctor",
    arguments: "",
    about: "what is missing on this machine, and how to get it",
    run,
};

/// Something that a command needs.
struct Need {
    what: &'static str,
    /// What cannot be done without it.
    uses: &'static str,
    /// How to get it.
    remedy: &'static str,
    /// Whether its absence is a failure.
    required: bool,
    /// Looks for it, and gives the line by which it introduces itself.
    found: fn() -> Option<String>,
}

const NEEDS: &[Need] = &[
    Need {
        what: "rustc",
        uses: "everything",
        remedy: "install rustup (https://rustup.rs); it then fetches the version in rust-toolchain.toml",
        required: true,
        found: || introduction("rustc", &["--version"]),
    },
    Need {
        what: "C compiler",
        uses: "linking, and SQLite in larderd",
        remedy: "on Debian and Ubuntu: apt-get install gcc libc6-dev",
        required: true,
        found: c_compiler,
    },
    Need {
        what: "rustfmt",
        uses: "cargo xtask fmt",
        remedy: "rustup component add rustfmt",
        required: true,
        found: || introduction("cargo", &["fmt", "--version"]),
    },
    Need {
        what: "clippy",
        uses: "cargo xtask lint",
        remedy: "rustup component add clippy",
        required: true,
        found: || introduction("cargo", &["clippy", "--version"]),
    },
    Need {
        what: "git",
        uses: "naming the commit in benchmark tables",
        remedy: "on Debian and Ubuntu: apt-get install git",
        required: false,
        found: || introduction("git", &["--version"]),
    },
    Need {
        what: "chromium",
        uses: "cargo xtask docs --check, which looks at the site as a reader does",
        remedy: "on Debian and Ubuntu: apt-get install chromium",
        required: false,
        found: || introduction("chromium", &["--version"]),
    },
    Need {
        what: "curl",
        uses: "trying the examples that larderd prints",
        remedy: "on Debian and Ubuntu: apt-get install curl",
        required: false,
        found: || introduction("curl", &["--version"]),
    },
];

fn run(arguments: lexopt::Parser) -> Result<(), Stop> {
    command::no_more(arguments)?;
    diagnose(NEEDS)
}

fn diagnose(needs: &[Need]) -> Result<(), Stop> {
    let mut missing = Vec::new();
    for need in needs {
        match (need.found)() {
            Some(line) => println!("ok       {:<11} {line}", need.what),
            None => {
                let state = if need.required {
                    "MISSING "
                } else {
                    "optional"
                };
                println!(
                    "{state} {:<11} for {}; {}",
                    need.what, need.uses, need.remedy
                );
                if need.required {
                    missing.push(need.what);
                }
            }
        }
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Stop::Failed(format!("missing: {}", missing.join(", "))))
    }
}

/// The first line that a program writes.
fn introduction(program: &str, arguments: &[&str]) -> Option<String> {
    let text = process::output(Program::new(program).args(arguments)).ok()?;
    text.lines().next().map(str::to_owned)
}

/// A compiler is only one if it finds the headers of the C library.
fn c_compiler() -> Option<String> {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut child = Program::new(&compiler)
        .args(["-x", "c", "-fsyntax-only", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let sent = child
        .stdin
        .take()
        .map(|mut input| input.write_all(b"#include <stdlib.h>\n"));
    let compiled = child.wait().ok()?.success();
    let line = introduction(&compiler.to_string_lossy(), &["--version"]);
    if compiled && sent.is_some_and(|sent| sent.is_ok()) {
        line
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(required: bool, found: fn() -> Option<String>) -> Need {
        Need {
            what: "a thing",
            uses: "a test",
            remedy: "write it",
            required,
            found,
        }
    }

    #[test]
    fn only_what_is_required_fails() {
        assert!(
            diagnose(&[
                need(true, || Some("thing 1".to_owned())),
                need(false, || None)
            ])
            .is_ok()
        );
        let Err(Stop::Failed(why)) = diagnose(&[need(true, || None)]) else {
            panic!("must fail")
        };
        assert_eq!(why, "missing: a thing");
    }

    #[test]
    fn a_program_that_is_not_there_is_not_found() {
        assert_eq!(introduction("larder-no-such-program", &[]), None);
        assert!(
            introduction("rustc", &["--version"]).is_some_and(|line| line.starts_with("rustc"))
        );
    }
}
