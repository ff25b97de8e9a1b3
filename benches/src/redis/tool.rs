//! The tool that comes with the server.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

/// Lets it write values for [`gets`] and [`far_reads`] to read.
///
/// # Errors
/// There is no such tool, or it fails.
pub(super) fn fill(server: &Path, port: u16) -> anyhow::Result<()> {
    run(server, port, &["-t", "set", "-n", "100000", "-P", "16"]).map(drop)
}

/// What is asked, and how much of it is under way.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) server: &'a Path,
    pub(super) port: u16,
    /// So many at once: 16 on a connection, or one if there is one.
    pub(super) tasks: u64,
    pub(super) requests: u64,
}

/// GETs a second.
///
/// # Errors
/// As [`fill`].
pub(super) fn gets(asked: Asked<'_>) -> anyhow::Result<f64> {
    rate(asked, &["-t", "get"], "GET")
}

/// Reads a second, each a PTTL of a key and an MGET of it with two more. The tool sends one command
/// over and over, so each is measured for itself.
///
/// # Errors
/// As [`fill`].
pub(super) fn far_reads(asked: Asked<'_>, guards: [&str; 2]) -> anyhow::Result<f64> {
    let [first, second] = guards;
    let life = rate(asked, &["PTTL", KEY], "PTTL")?;
    let read = rate(asked, &["MGET", KEY, first, second], "MGET")?;
    Ok(1.0 / (1.0 / life + 1.0 / read))
}

/// A key of those that [`fill`] writes.
const KEY: &str = "key:__rand_int__";

fn rate(asked: Asked<'_>, command: &[&str], name: &str) -> anyhow::Result<f64> {
    let pipeline = asked.tasks.min(16);
    let clients = (asked.tasks / pipeline).to_string();
    let (pipeline, requests) = (pipeline.to_string(), asked.requests.to_string());
    let mut words = vec!["-n", &requests, "-c", &clients, "-P", &pipeline];
    words.extend(command);
    let said = run(asked.server, asked.port, &words)?;
    parse(&said, name).with_context(|| format!("redis-benchmark said no rate: {said}"))
}

fn run(server: &Path, port: u16, arguments: &[&str]) -> anyhow::Result<String> {
    let beside = server.with_file_name("redis-benchmark");
    let program = if beside.is_file() {
        beside
    } else {
        "redis-benchmark".into()
    };
    let mut command = Command::new(program);
    let port = port.to_string();
    command.args(["-h", "127.0.0.1", "-p", &port]);
    command.args(["-d", "200", "-r", "10000", "--csv"]);
    let output = command.args(arguments).output();
    let output = output
        .context("redis-benchmark is needed: it comes with redis-server (Debian: redis-tools)")?;
    ensure!(
        output.status.success(),
        "redis-benchmark: {}",
        output.status
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The second cell of a command's line: older ones print no other line, newer ones a head.
fn parse(said: &str, name: &str) -> Option<f64> {
    let begins = |line: &&str| {
        let rest = line
            .strip_prefix('"')
            .and_then(|line| line.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with(['"', ' ']))
    };
    let line = said.lines().find(begins)?;
    line.split(',').nth(1)?.trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_found_with_a_head_or_without() {
        assert_eq!(parse("\"GET\",\"749063.69\"\n", "GET"), Some(749_063.69));
        let head = "\"test\",\"rps\",\"avg_latency_ms\"\n\"GET\",\"100.50\",\"0.1\"\n";
        assert_eq!(parse(head, "GET"), Some(100.5));
        let words = "\"PTTL key:__rand_int__\",\"7.5\"\n";
        assert_eq!(parse(words, "PTTL"), Some(7.5));
        assert_eq!(parse("ERR", "GET"), None);
    }
}
