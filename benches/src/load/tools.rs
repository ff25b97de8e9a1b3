//! The usual tools.

use super::{SLOW, Shape, authority, words};
use anyhow::{Context as _, ensure};
use std::process::Command;

/// What a tool has counted in one run.
pub(super) struct Figure {
    /// Requests, or commands.
    pub(super) count: f64,
    /// Requests, or commands, a second.
    pub(super) rate: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
}

/// What a tool calls itself.
///
/// # Errors
/// When it is not there: says how to get it.
pub(super) fn version(tool: &str, flag: &str) -> anyhow::Result<String> {
    let how = format!(
        "{tool} is not here: `apt-get install wrk redis-tools`, or leave this experiment out"
    );
    let output = Command::new(tool).arg(flag).output().context(how)?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().next().unwrap_or_default();
    let number = line
        .split([' ', '/'])
        .find(|word| word.starts_with(|letter: char| letter.is_ascii_digit()));
    Ok(number.unwrap_or("unknown").to_owned())
}

/// Lets the usual tool ask like this.
///
/// # Errors
/// When it fails, or says something else than it used to.
pub(super) fn run(shape: &Shape) -> anyhow::Result<Figure> {
    match shape {
        Shape::Http {
            url,
            users,
            seconds,
        } => {
            let mut wrk = Command::new("wrk");
            wrk.args([
                "-t1",
                "--latency",
                &format!("-c{users}"),
                &format!("-d{seconds}s"),
                url,
            ]);
            read_wrk(&printed(&mut wrk)?).context("wrk says something else than it used to")
        }
        Shape::Redis {
            url,
            users,
            command,
            pipeline,
            commands,
        } => {
            let (host, port) = authority(url)?;
            let mut tool = Command::new("redis-benchmark");
            tool.args(["--csv", "-h", host, "-p", port]);
            for (flag, value) in [
                ("-c", users.to_string()),
                ("-P", pipeline.to_string()),
                ("-n", commands.to_string()),
            ] {
                tool.args([flag, &value]);
            }
            if *command == SLOW {
                tool.args(words(command));
            } else {
                tool.args(["-t", command]);
            }
            let printed = printed(&mut tool)?;
            read_csv(&printed, command, *commands)
                .context("redis-benchmark says something else than it used to")
        }
    }
}

fn printed(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} failed: {complaint}");
    Ok(String::from_utf8(output.stdout)?)
}

/// `50%  680.00us` and `Requests/sec:  91234.56`; nothing if a request failed.
fn read_wrk(text: &str) -> Option<Figure> {
    let after = |mark: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(mark));
        line.map(str::trim)
    };
    if after("Socket errors:").is_some() || after("Non-2xx").is_some() {
        return None;
    }
    // `182469 requests in 2.00s, 42.63MB read`
    let count = text
        .lines()
        .find_map(|line| line.trim().split_once(" requests in "));
    Some(Figure {
        count: count?.0.parse().ok()?,
        rate: after("Requests/sec:")?.parse().ok()?,
        p50_ms: millis(after("50%")?)?,
        p99_ms: millis(after("99%")?)?,
    })
}

/// `680.00us`, `1.20ms`, `2.00s`.
fn millis(text: &str) -> Option<f64> {
    let at = text.find(|letter: char| letter.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(at);
    let scale = match unit {
        "us" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * scale)
}

/// `"GET","90909.09","0.3","0.1","0.28","0.5","0.7","1.2"`, below a line of names.
fn read_csv(text: &str, command: &str, count: u64) -> Option<Figure> {
    let mut lines = text.lines();
    let names: Vec<_> = lines.next()?.split(',').collect();
    let row = lines.find(|line| line.starts_with(&format!("\"{command}")))?;
    let row: Vec<_> = row.split(',').collect();
    let field = |name: &str| {
        let at = names
            .iter()
            .position(|known| known.trim_matches('"') == name)?;
        row.get(at)?.trim_matches('"').parse().ok()
    };
    Some(Figure {
        count: count as f64,
        rate: field("rps")?,
        p50_ms: field("p50_latency_ms")?,
        p99_ms: field("p99_latency_ms")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wrk_says_is_read() {
        let text = "Running 1s test @ http://127.0.0.1:1/\n  Latency Distribution\n     50%  680.00us\n     75%    1.00ms\n     \
                    90%    1.10ms\n     99%    1.20ms\n  9 requests in 1.00s, 1.00MB read\nRequests/sec:  91234.56\n";
        let figure = read_wrk(text).expect("a figure");
        assert_eq!((figure.count, figure.rate), (9.0, 91234.56));
        assert_eq!((figure.p50_ms, figure.p99_ms), (0.68, 1.2));
        assert!(read_wrk(&format!("{text}  Non-2xx or 3xx responses: 9\n")).is_none());
        assert!(read_wrk("unable to connect").is_none());
    }

    #[test]
    fn what_redis_benchmark_says_is_read() {
        let text = "\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\",\"p95_latency_ms\",\
                    \"p99_latency_ms\",\"max_latency_ms\"\n\"GET\",\"90909.09\",\"0.3\",\"0.1\",\"0.28\",\"0.5\",\"0.7\",\"1.2\"\n";
        let figure = read_csv(text, "GET", 7).expect("a figure");
        assert_eq!((figure.rate, figure.p99_ms), (90909.09, 0.7));
        assert!(read_csv(text, "SET", 7).is_none());
    }
}
