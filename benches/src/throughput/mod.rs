//! `throughput`: the first seed's experiment. Users who ask again at once, 30, 50 and 70 of them; a
//! request is three writes to Redis, or one cached read.
//!
//! Callers that block have a thread each; those of larder are tasks of one thread. All live in the
//! process that is measured, so its processor time holds theirs. A variant runs in a process of its
//! own, and in turn with the others, so that a slow moment meets them all; its ratios are the medians
//! of those in each turn.

mod reads;
mod results;
mod variant;
mod writes;

use std::time::Duration;

use anyhow::{Context as _, anyhow};
use larder_report::{Report, Scale};

use crate::experiment;
use crate::seeds::figure::{Figure, Source};
use crate::seeds::measure::{Times, measure};
use crate::seeds::server;
use crate::turns;
use variant::{Case, Variant};

/// How much is measured.
struct Plan {
    /// Turns.
    rounds: usize,
    /// Of one variant.
    times: Times,
}

/// What the goals are measured with.
const FULL: Plan = Plan {
    rounds: 5,
    times: Times {
        warm: Duration::from_millis(400),
        measured: Duration::from_millis(2_000),
    },
};

/// A look in less than a minute.
const QUICK: Plan = Plan {
    rounds: 1,
    times: Times {
        warm: Duration::from_millis(250),
        measured: Duration::from_millis(500),
    },
};

/// Virtual users.
const USERS: [u64; 3] = [30, 50, 70];

/// How long what is written lives.
const LIFE: Duration = Duration::from_secs(300);

/// Who asks, and the port of the server that is asked.
#[derive(Clone, Copy)]
struct Users {
    count: u64,
    port: u16,
}

/// What was found for one variant and number of users, a figure a turn.
struct Found {
    case: Case,
    variant: Variant,
    users: u64,
    figures: Vec<Figure>,
}

impl Plan {
    fn of(scale: Scale) -> &'static Self {
        match scale {
            Scale::Quick => &QUICK,
            _ => &FULL,
        }
    }
}

/// Measures every variant in processes of their own.
///
/// # Errors
/// There is no server to be had, or a process fails.
pub(crate) fn run(scale: Scale) -> anyhow::Result<Report> {
    let plan = Plan::of(scale);
    let (server, version) = server()?;
    let mut all = all();
    turns::take("throughput", plan.rounds, &mut all, |found| {
        server.ask(&["FLUSHALL"])?;
        let users = found.users.to_string();
        let port = server.port().to_string();
        let words = [found.case.word(), found.variant.word(), &users, &port];
        (found.figures).push(experiment::figure("throughput", scale, &words)?);
        Ok(())
    })?;
    Ok(results::report(scale, &version, &all))
}

fn all() -> Vec<Found> {
    let cases = Case::ALL.into_iter();
    let with_users = cases.flat_map(|case| USERS.map(|users| (case, users)));
    let each = with_users.flat_map(|(case, users)| {
        case.variants().iter().map(move |&variant| Found {
            case,
            variant,
            users,
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
    let [case, variant, users, port] = words else {
        return Err(anyhow!("four words are needed: {words:?}"));
    };
    let case = Case::parse(case).context("no such case")?;
    let variant = Variant::parse(case, variant).context("no such variant")?;
    let users = Users {
        count: users.parse()?,
        port: port.parse()?,
    };
    let (mut figure, answers) = measure(Plan::of(scale).times, users.port, |stage| match case {
        Case::Writes => writes::run(variant, users, stage),
        Case::Reads => reads::run(variant, users, stage),
    })?;
    let calls = reads::calls();
    figure.source = (case == Case::Reads).then_some(Source { answers, calls });
    println!("{}", serde_json::to_string(&figure)?);
    Ok(())
}
