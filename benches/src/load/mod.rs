//! `load`: the load generator beside wrk and redis-benchmark, on the same servers.
//!
//! A tool that is slower than what it asks measures itself. Both tools of a pair are a process, and ask in turn.

mod ask;
mod tools;

use crate::daemon::{self, Daemon};
use crate::{seeds, turns};
use anyhow::Context as _;
use larder_report::{Plot, Report, Scale, Table, Verdict, number};
use tools::Figure;

pub(crate) use ask::ask;

/// How much is measured.
struct Plan {
    rounds: usize,
    /// Of a run over HTTP.
    seconds: u64,
    /// Commands of a run over Redis, for each in a request.
    commands: u64,
}

/// What is published.
const FULL: Plan = Plan {
    rounds: 7,
    seconds: 2,
    commands: 100_000,
};

/// A look in less than a minute.
const QUICK: Plan = Plan {
    rounds: 3,
    seconds: 1,
    commands: 40_000,
};

/// A command that the server is busy with, and not who asks.
const SLOW: &str = "EVAL";

/// The words of a command: of those that redis-benchmark has a name for as it asks.
fn words(command: &str) -> Vec<&str> {
    match command {
        "GET" => vec!["GET", KEY],
        SLOW => vec![
            SLOW,
            "local sum = 0 while sum < 3000 do sum = sum + 1 end return sum",
            "0",
        ],
        _ => vec!["SET", KEY, "VXK"],
    }
}

const KEY: &str = "key:__rand_int__";

/// One way to ask, for both tools.
enum Shape {
    Http {
        url: String,
        users: usize,
        seconds: u64,
    },
    Redis {
        url: String,
        users: usize,
        command: &'static str,
        pipeline: usize,
        commands: u64,
    },
}

/// What both tools have counted, round by round.
struct Pair {
    shape: Shape,
    ours: Vec<Run>,
    theirs: Vec<Run>,
}

/// One run of a tool.
struct Run {
    figure: Figure,
    /// Processor time of the tool for one request, in microseconds.
    cost_us: f64,
}

impl Plan {
    fn of(scale: Scale) -> &'static Self {
        match scale {
            Scale::Quick => &QUICK,
            _ => &FULL,
        }
    }

    fn shapes(&self, larderd: &str, redis: &str) -> Vec<Shape> {
        let http = |users| Shape::Http {
            url: larderd.to_owned(),
            users,
            seconds: self.seconds,
        };
        let redis = |command, pipeline: usize| Shape::Redis {
            url: redis.to_owned(),
            users: 50,
            command,
            pipeline,
            // Commands of a batch cost a tenth, and those that the server is busy with five times as much.
            commands: match (command, pipeline) {
                (SLOW, _) => self.commands / 5,
                (_, 1) => self.commands,
                _ => self.commands * 10,
            },
        };
        vec![
            http(64),
            http(8),
            redis("GET", 1),
            redis("SET", 1),
            redis("GET", 16),
            redis(SLOW, 1),
        ]
    }
}

/// Measures every pair.
///
/// # Errors
/// When a server or a tool is missing, or a request failed.
pub(crate) fn run(scale: Scale) -> anyhow::Result<Report> {
    let plan = Plan::of(scale);
    let mut report = Report::new("load", "larder-load beside wrk and redis-benchmark", scale);
    report.version("wrk", tools::version("wrk", "-v")?);
    report.version(
        "redis-benchmark",
        tools::version("redis-benchmark", "--version")?,
    );
    let program = daemon::build()?;
    let (redis, version) = seeds::server()?;
    report.version("redis-server", version);
    let larderd = Daemon::start(&program, &["--workers", "1", "--log", "warn"])?;
    let shapes = plan.shapes(&larderd.url("/deals/5"), &redis.url());
    let mut pairs: Vec<_> = shapes.into_iter().map(Pair::new).collect();
    turns::take("load", plan.rounds, &mut pairs, |pair| {
        pair.theirs.push(Run::of(|| tools::run(&pair.shape))?);
        pair.ours
            .push(Run::of(|| ask::in_a_process(&pair.shape, scale))?);
        Ok(())
    })?;
    larderd.end()?;
    report.notes.push(plan.to_string());
    fill(&mut report, &pairs);
    Ok(report)
}

fn fill(report: &mut Report, pairs: &[Pair]) {
    let columns = [
        "asked",
        "tool",
        "a second",
        "of the other",
        "cpu each, µs",
        "p50, ms",
        "p99, ms",
    ];
    let mut table = Table::new(
        "What both tools count, and what it costs them; medians",
        columns,
    );
    for pair in pairs {
        for (tool, runs, ratio) in [
            ("larder-load", &pair.ours, number(pair.ratio())),
            (pair.shape.tool(), &pair.theirs, String::new()),
        ] {
            let of = |field: fn(&Run) -> f64| number(turns::median(runs.iter().map(field)));
            table.row([
                pair.shape.to_string(),
                tool.to_owned(),
                of(|run| run.figure.rate),
                ratio,
                of(|run| run.cost_us),
                of(|run| run.figure.p50_ms),
                of(|run| run.figure.p99_ms),
            ]);
        }
        let row = format!("load: {}, a second", pair.shape);
        let verdict = Verdict::higher(row, pair.shape.tool(), pair.ratio());
        report.verdicts.push(verdict.floor(0.9).note(
            "to count no less than the other, by more than 10 %; more where that is what is slow",
        ));
    }
    report.tables.push(table);
    let shapes = pairs.iter().map(|pair| pair.shape.to_string());
    let plot = Plot::bars(
        "larder-load beside the usual tool",
        "times what the usual tool counts",
        shapes,
    );
    let ratios: Vec<_> = pairs.iter().map(Pair::ratio).collect();
    report.plots.push(plot.series("larder-load", ratios));
}

impl Run {
    /// Runs a tool to its end. No other child of ours ends meanwhile.
    fn of(tool: impl FnOnce() -> anyhow::Result<Figure>) -> anyhow::Result<Self> {
        let before = children_time()?;
        let figure = tool()?;
        let cost_us = (children_time()? - before) * 1e6 / figure.count;
        Ok(Self { figure, cost_us })
    }
}

/// Processor time in seconds of all children that have ended, to the hundredth.
fn children_time() -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // Behind the name, which may hold anything, the first field is the third of all.
    let (_, fields) = stat.rsplit_once(") ").context("no name")?;
    let fields: Vec<_> = fields.split(' ').collect();
    let ticks = |field: usize| {
        fields
            .get(field - 3)
            .and_then(|ticks| ticks.parse::<f64>().ok())
    };
    let (user, system) = (
        ticks(16).context("no cutime")?,
        ticks(17).context("no cstime")?,
    );
    Ok((user + system) / 100.0)
}

impl Pair {
    const fn new(shape: Shape) -> Self {
        Self {
            shape,
            ours: Vec::new(),
            theirs: Vec::new(),
        }
    }

    /// The median of the rounds' ratios.
    fn ratio(&self) -> f64 {
        turns::ratio(&self.ours, &self.theirs, |run| run.figure.rate)
    }
}

impl Shape {
    /// Who else asks like this.
    fn tool(&self) -> &'static str {
        match self {
            Self::Http { .. } => "wrk",
            Self::Redis { .. } => "redis-benchmark",
        }
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Http { users, .. } => write!(f, "HTTP, {users} users"),
            Self::Redis {
                users,
                command,
                pipeline: 1,
                ..
            } => write!(f, "{command}, {users} users"),
            Self::Redis {
                users,
                command,
                pipeline,
                ..
            } => {
                write!(f, "{command} × {pipeline}, {users} users")
            }
        }
    }
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            rounds,
            seconds,
            commands,
        } = self;
        write!(
            f,
            "{rounds} rounds, the two tools in turn, each a process with one thread; {seconds} s of HTTP, {commands} \
             commands of Redis, ten times as many in batches, and a fifth of them of a script that the server is busier \
             with than either tool. larderd has one thread and answers /deals/5 from its near tier; Redis has its own \
             server. A ratio is the median of the rounds' ratios."
        )
    }
}

/// `host:port` of a URL.
fn authority(url: &str) -> anyhow::Result<(&str, &str)> {
    let (_, rest) = url.split_once("://").context("no URL")?;
    let rest = rest.trim_end_matches('/');
    rest.rsplit_once(':').context("no port")
}
