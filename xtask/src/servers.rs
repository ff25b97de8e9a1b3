//! The tests that talk to a server, over others than the one that is taken by itself.

use crate::stop::Stop;
use crate::{process, redis};
use std::ffi::OsString;
use std::fmt;

/// What talks to servers: the adapter with the contracts of a far tier, the commands against their
/// model, and what must not be readable there.
const TESTS: &[&str] = &[
    "--test",
    "redis",
    "--test",
    "redis_model",
    "--test",
    "redis_secrets",
];

/// A program, and what it calls itself.
#[derive(Debug, PartialEq, Eq)]
struct Server {
    program: String,
    version: String,
}

/// Runs them over every server there is: the one that is taken by itself, and those of packages.
///
/// # Errors
/// When a test fails; and under `CI`, when a server cannot be had.
pub(crate) fn all(extra: &[OsString]) -> Result<(), Stop> {
    let servers = had(&["programs"])?;
    // To the end: what one version lacks says nothing of the others.
    let results: Vec<_> = servers.iter().map(|server| over(server, extra)).collect();
    for (server, result) in servers.iter().zip(&results) {
        let end = if result.is_ok() { "passed" } else { "FAILED" };
        eprintln!("servers: {server} {end}");
    }
    results.into_iter().collect()
}

/// Runs them over the oldest version that is served: what a newer one brings is missed there first.
/// The other tests have run over the one that is taken by itself.
///
/// # Errors
/// As [`all`].
pub(crate) fn oldest() -> Result<(), Stop> {
    let servers = had(&["programs", "oldest"])?;
    let [first, second] = &servers[..] else {
        return Ok(());
    };
    let result = over(second, &[]);
    eprintln!("servers: the tests ran over {first}, and what talks to a server over {second} too");
    result
}

/// The servers that can be had; of the others it is said why they cannot.
fn had(words: &[&str]) -> Result<Vec<Server>, Stop> {
    let mut program = redis::servers(words);
    let output = process::without_settings(&mut program).output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        if std::env::var_os("CI").is_some_and(|ci| ci == "true") {
            return Err(Stop::Failed(complaint.trim_end().to_owned()));
        }
        eprintln!("SKIPPED: {}", complaint.trim_end());
    }
    Ok(read(&String::from_utf8_lossy(&output.stdout)))
}

fn read(lines: &str) -> Vec<Server> {
    let server = |line: &str| {
        let (program, version) = line.split_once('\t')?;
        Some(Server {
            program: program.to_owned(),
            version: version.to_owned(),
        })
    };
    lines.lines().filter_map(server).collect()
}

fn over(server: &Server, extra: &[OsString]) -> Result<(), Stop> {
    let mut cargo = process::cargo(&["test", "--package", "larder-tests", "--no-fail-fast"]);
    cargo.args(TESTS).args(extra);
    process::without_settings(&mut cargo).env("LARDER_TEST_REDIS_SERVER", &server.program);
    eprintln!("servers: {server}");
    process::run(&mut cargo)
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.version, self.program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_program_and_its_version() {
        let servers = read("/usr/bin/redis-server\tRedis 7.0.15\nno version\n");
        assert_eq!(
            servers,
            [Server {
                program: "/usr/bin/redis-server".to_owned(),
                version: "Redis 7.0.15".to_owned(),
            }]
        );
    }
}
