//! What cachegrind counts.

use std::process::Command;

use anyhow::{Context as _, ensure};
use larder_report::Scale;

use crate::experiment::PART;

/// Instructions, and reads and writes of data that the first cache does not have, and that neither of
/// two has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counts {
    pub(super) instructions: f64,
    pub(super) accesses: f64,
    pub(super) first: f64,
    pub(super) last: f64,
}

impl Counts {
    /// What is counted here and not there.
    pub(super) fn beyond(self, other: Self) -> Self {
        Self {
            instructions: self.instructions - other.instructions,
            accesses: self.accesses - other.accesses,
            first: self.first - other.first,
            last: self.last - other.last,
        }
    }

    /// For each of so many.
    pub(super) fn each(self, many: usize) -> Self {
        let many = many as f64;
        Self {
            instructions: self.instructions / many,
            accesses: self.accesses / many,
            first: self.first / many,
            last: self.last / many,
        }
    }
}

/// Bytes, ways and bytes of a line of the caches that are simulated: those that a core has for itself.
pub(super) const FIRST: &str = "32768,8,64";
pub(super) const LAST: &str = "1048576,16,64";

/// # Errors
/// There is none.
pub(super) fn version() -> anyhow::Result<String> {
    let said = valgrind().arg("--version").output();
    let said = said.context("valgrind is needed: install it (Debian: valgrind)")?;
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

/// What a part of the profile takes as a whole.
///
/// # Errors
/// It fails, or nothing is counted.
pub(super) fn of(scale: Scale, words: &[String]) -> anyhow::Result<Counts> {
    let mut command = valgrind();
    command.args(["--tool=cachegrind", "--cache-sim=yes"]);
    command.arg("--cachegrind-out-file=/dev/null");
    command.arg(format!("--D1={FIRST}"));
    command.arg(format!("--LL={LAST}"));
    command.arg(std::env::current_exe()?).arg("profile");
    if scale == Scale::Quick {
        command.arg("--quick");
    }
    let output = command.arg(PART).args(words).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "a counted process failed ({}): {}",
        output.status,
        said.trim()
    );
    parse(&said).with_context(|| format!("valgrind counted nothing: {}", said.trim()))
}

fn valgrind() -> Command {
    Command::new("valgrind")
}

/// The lines are `==1== D1  misses:  12,345  (12,000 rd + 345 wr)`, with the first number the sum.
fn parse(said: &str) -> Option<Counts> {
    let number = |of: &str| {
        let mut lines = said.lines().filter_map(|line| line.split_once("== "));
        let count = lines.find_map(|(_, line)| {
            let (name, count) = line.split_once(':')?;
            name.split_whitespace().eq(of.split(' ')).then_some(count)
        });
        let text = count?.split_whitespace().next()?.replace(',', "");
        text.parse().ok()
    };
    Some(Counts {
        instructions: number("I refs")?,
        accesses: number("D refs")?,
        first: number("D1 misses")?,
        last: number("LLd misses")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_of_a_run_are_read_and_laid_on_what_was_done() {
        let said = "==7== I   refs:      1,000,400\n==7== \n==7== D   refs:        300,000  (200,000 rd + 100,000 wr)\n\
                    ==7== D1  misses:        3,000  (2,000 rd + 1,000 wr)\n==7== LLd misses:        1,000  (900 rd + 100 wr)\n";
        let all = parse(said).unwrap();
        let none = Counts {
            instructions: 400.0,
            accesses: 0.0,
            first: 0.0,
            last: 0.0,
        };
        let each = Counts {
            instructions: 1_000.0,
            accesses: 300.0,
            first: 3.0,
            last: 1.0,
        };
        assert_eq!(all.beyond(none).each(1_000), each);
        assert_eq!(parse("valgrind: no such tool"), None);
    }
}
