//! `delay`: requests that wait for another service, on few threads: blocking them, and not.
//!
//! larderd runs as a process, with an upstream in another, and is asked over HTTP. Of two threads that are blocked, a
//! third request has to wait for one; awaited delays need no thread while they last, so that one is enough for thousands.

mod crowd;
mod files;
mod found;
mod three;
mod upstream;

use crate::daemon::{self, Daemon};
use crate::progress;
use crowd::Crowd;
use files::Files;
use larder_report::{Report, Scale};
use std::time::Duration;
use three::Three;
use upstream::Upstream;

pub(crate) use upstream::serve as part;

/// How much is measured.
struct Plan {
    rounds: usize,
    /// The delay of the three, in seconds.
    delay: u64,
    /// Rounds of the crowd, whose delay is always [`LONG`].
    crowds: usize,
}

/// What the goals are measured with.
const FULL: Plan = Plan {
    rounds: 5,
    delay: LONG,
    crowds: 5,
};

/// A look in half a minute.
const QUICK: Plan = Plan {
    rounds: 5,
    delay: 1,
    crowds: 1,
};

/// The delay of the article, in seconds.
const LONG: u64 = 10;

/// As many as are meant to wait at once.
const CROWD: usize = 10_000;

impl Plan {
    fn of(scale: Scale) -> &'static Self {
        match scale {
            Scale::Quick => &QUICK,
            _ => &FULL,
        }
    }
}

/// Measures both servers, and the crowd.
///
/// # Errors
/// When larderd cannot be built or started, or an answer is missing.
pub(crate) fn run(scale: Scale) -> anyhow::Result<Report> {
    let plan = Plan::of(scale);
    let program = daemon::build()?;
    let files = Files::raise()?;
    let crowd = files.crowd(CROWD);
    let upstream = Upstream::start()?;
    let url = upstream.url();
    let few = Daemon::start(
        &program,
        &["--upstream", &url, "--workers", "2", "--blocking", "2"],
    )?;
    let bar = progress::bar("three at once", 2 * plan.rounds + plan.crowds);

    let (mut blocking, mut awaited) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        blocking.push(Three::ask(&few, "blocking", plan.delay)?);
        bar.inc(1);
        awaited.push(Three::ask(&few, "delay", plan.delay)?);
        bar.inc(1);
    }
    let threads = few.end()?;
    bar.set_message("a crowd on one thread");
    let crowds = (0..plan.crowds).map(|_| {
        let crowd = Crowd::ask(&program, &url, crowd, LONG);
        bar.inc(1);
        crowd
    });
    let crowds: Vec<_> = crowds.collect::<anyhow::Result<_>>()?;

    let about = "requests that wait for another service, on few threads: blocking them, and not";
    let mut report = Report::new("delay", about, scale);
    report.notes.extend(notes(plan, &files, crowd));
    let three = found::Servers {
        delay: plan.delay,
        blocking: three::medians(&blocking),
        awaited: three::medians(&awaited),
        threads,
    };
    three.fill(&mut report);
    found::crowd(&mut report, &crowds);
    Ok(report)
}

fn notes(plan: &Plan, files: &Files, crowd: usize) -> Vec<String> {
    let Plan {
        rounds,
        delay,
        crowds,
    } = plan;
    let mut notes = vec![
        format!(
            "larderd, its upstream and the load are a process each, on one machine. Three requests at once with a delay \
             of {delay} s, in {rounds} rounds of blocking and awaited in turn: medians of the quickest, the second and the \
             slowest. Connections are opened by the requests."
        ),
        format!(
            "The crowd is asked for {LONG} s in {crowds} runs, over connections that are open before; its time is from \
             the first request to the last answer."
        ),
    ];
    if crowd < CROWD {
        notes.push(format!(
            "The crowd is {crowd} and not {CROWD}: each who waits is two files of larderd's, and a process may have \
             {} here.",
            files.most()
        ));
    }
    notes
}

/// So long an answer is waited for.
fn patience(delay: u64) -> Duration {
    Duration::from_secs(4 * delay + 30)
}
