//! The tool that comes with the server.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

/// Lets it write values for [`rate`] to read.
///
/// # Errors
/// There is no such tool, or it fails.
pub(super) fn fill(server: &Path, port: u16) -> anyhow::Result<()> {
    run(server, port, &["-t", "set", "-n", "100000", "-P", "16"]).map(drop)
}

/// GETs a second, with as many under way as there are tasks: 16 on a connection, or one if there is one.
///
/// # Errors
/// As [`fill`].
pub(super) fn rate(server: &Path, port: u16, tasks: u64, requests: u64) -> anyhow::Result<f64> {
    let pipeline = tasks.min(16);
    let clients = (tasks / pipeline).to_string();
    let (pipeline, requests) = (pipeline.to_string(), requests.to_string());
    let said = run(
        server,
        port,
        &[
            "-t", "get", "-n", &requests, "-c", &clients, "-P", &pipeline,
        ],
    )?;
    parse(&said).with_context(|| format!("redis-benchmark said no rate: {said}"))
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

/// The second cell of the line of GET: older ones print no other line, newer ones a head.
fn parse(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.starts_with("\"GET\""))?;
    line.split(',').nth(1)?.trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_found_with_a_head_or_without() {
        assert_eq!(parse("\"GET\",\"749063.69\"\n"), Some(749_063.69));
        let head = "\"test\",\"rps\",\"avg_latency_ms\"\n\"GET\",\"100.50\",\"0.1\"\n";
        assert_eq!(parse(head), Some(100.5));
        assert_eq!(parse("ERR"), None);
    }
}
