//! `redis`: how much of what a server and a connection can do is left to tasks that read from it.
//!
//! Tasks of one thread, each of which asks again at once, over one connection; the tool that comes with
//! the server stands beside them with as many requests under way.

mod results;
mod tasks;
mod tool;
mod variant;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use larder_report::{Report, Scale};
use larder_servers::{Server, Setup};

use crate::experiment;
use crate::seeds::figure::Figure;
use crate::seeds::measure::{Times, measure};
use crate::seeds::server;
use crate::turns;
use tool::Asked;
use variant::Variant;

/// As long as the tokens that guard an entry.
const GUARDS: [&str; 2] = ["guard:clear", "guard:any"];

/// How many ask.
const TASKS: [u64; 3] = [1, 64, 256];

/// What was found for one variant and number of tasks, a turn each.
struct Found {
    variant: Variant,
    tasks: u64,
    rates: Vec<f64>,
    /// Of the tool there are only rates.
    figures: Vec<Figure>,
}

const fn rounds(scale: Scale) -> usize {
    match scale {
        Scale::Quick => 1,
        _ => 5,
    }
}

const fn times(scale: Scale) -> Times {
    let (warm, measured) = match scale {
        Scale::Quick => (300, 500),
        _ => (500, 1_500),
    };
    Times {
        warm: Duration::from_millis(warm),
        measured: Duration::from_millis(measured),
    }
}

/// Measures every variant in processes of their own.
///
/// # Errors
/// There is no server or no tool to be had, or a process fails.
pub(crate) fn run(scale: Scale) -> anyhow::Result<Report> {
    let (server, version) = server()?;
    let program = Setup::find().map_err(|sentence| anyhow!(sentence))?;
    let mut all = all();
    turns::take("redis", rounds(scale), &mut all, |found| {
        server.ask(&["FLUSHALL"])?;
        if found.variant.is_tool() {
            return found.by_tool(program.program(), &server);
        }
        let (tasks, port) = (found.tasks.to_string(), server.port().to_string());
        let words = [found.variant.word(), &tasks, &port];
        let figure: Figure = experiment::figure("redis", scale, &words)?;
        found.rates.push(figure.rate());
        found.figures.push(figure);
        Ok(())
    })?;
    Ok(results::report(scale, &version, &all))
}

impl Found {
    fn by_tool(&mut self, program: &Path, server: &Server) -> anyhow::Result<()> {
        tool::fill(program, server.port())?;
        for guard in GUARDS {
            server.ask(&["SET", guard, "0123456789abcdef"])?;
        }
        let asked = Asked {
            server: program,
            port: server.port(),
            tasks: self.tasks,
            requests: if self.tasks == 1 { 20_000 } else { 400_000 },
        };
        self.rates.push(if self.variant == Variant::Tool {
            tool::gets(asked)?
        } else {
            tool::far_reads(asked, GUARDS)?
        });
        Ok(())
    }
}

fn all() -> Vec<Found> {
    let each = TASKS.into_iter().flat_map(|tasks| {
        Variant::ALL.map(|variant| Found {
            variant,
            tasks,
            rates: Vec::new(),
            figures: Vec::new(),
        })
    });
    each.collect()
}

/// Measures one variant in this process, and prints what was found.
///
/// # Errors
/// The words are others than a run gives, the server is gone, or requests failed.
pub(crate) fn one_start(scale: Scale, words: &[String]) -> anyhow::Result<()> {
    let [variant, count, port] = words else {
        return Err(anyhow!("three words are needed: {words:?}"));
    };
    let variant = Variant::parse(variant).context("no such variant")?;
    let (count, port) = (count.parse()?, port.parse()?);
    let (figure, _) = measure(times(scale), port, |stage| {
        tasks::run(variant, count, port, stage)
    })?;
    println!("{}", serde_json::to_string(&figure)?);
    Ok(())
}
