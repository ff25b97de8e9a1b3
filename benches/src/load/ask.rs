//! The load generator, in a process of its own.

use super::tools::Figure;
use super::{Shape, words};
use crate::experiment;
use anyhow::{Context as _, ensure};
use larder_load::{Http, Load, Redis, Summary};
use larder_report::Scale;
use std::time::Duration;

/// Lets a process ask like this, and reads what it counted.
///
/// # Errors
/// When the process fails, or a request did.
pub(super) fn in_a_process(shape: &Shape, scale: Scale) -> anyhow::Result<Figure> {
    let arguments = match shape {
        Shape::Http {
            url,
            users,
            seconds,
        } => vec![url.clone(), users.to_string(), seconds.to_string()],
        Shape::Redis {
            url,
            users,
            command,
            pipeline,
            commands,
        } => vec![
            url.clone(),
            users.to_string(),
            command.to_string(),
            pipeline.to_string(),
            commands.to_string(),
        ],
    };
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let summary: Summary = experiment::figure("load", scale, &arguments)?;
    ensure!(summary.failed == 0, "requests failed: {:?}", summary.errors);
    let each = match shape {
        Shape::Http { .. } => 1.0,
        Shape::Redis { pipeline, .. } => *pipeline as f64,
    };
    Ok(Figure {
        count: summary.executed as f64 * each,
        rate: summary.tps * each,
        p50_ms: summary.sample_time.p50_ms,
        p99_ms: summary.sample_time.p99_ms,
    })
}

/// Asks as the arguments say, and prints the summary as JSON.
///
/// # Errors
/// When the arguments are no shape, or nobody listens.
pub(crate) fn ask(_: Scale, arguments: &[String]) -> anyhow::Result<()> {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let load = match arguments.as_slice() {
        [url, users, seconds] => {
            let load = Load::new(Http::parse(url)?).users(users.parse()?);
            load.duration(Duration::from_secs(seconds.parse()?))
        }
        [url, users, command, pipeline, commands] => {
            let (pipeline, commands): (usize, u64) = (pipeline.parse()?, commands.parse()?);
            let target = Redis::parse(url)?.batch(vec![words(command); pipeline]);
            let load = Load::new(target).users(users.parse()?);
            load.requests(commands / pipeline as u64)
        }
        _ => anyhow::bail!("not a way to ask"),
    };
    let summary = serde_json::to_string(&load.run()?).context("a summary")?;
    println!("{summary}");
    Ok(())
}
