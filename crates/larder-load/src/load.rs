//! The settings of a load.

use std::time::Duration;

use crate::plan::Plan;
use crate::run;
use crate::{Problem, Summary, Target};

/// The longest that a load, its warm-up or one request may take.
const LONGEST: Duration = Duration::from_secs(3600);
const MOST_USERS: usize = 50_000;
const MOST_THREADS: usize = 64;
const MOST_KEPT: usize = 1_000_000;
const MOST_A_SECOND: f64 = 1e7;

/// A load on one target: who asks, how often, and until when. [`run`](Self::run) does it.
///
/// It ends at the first of its bounds: [`duration`](Self::duration), [`requests`](Self::requests), [`each`](Self::each).
/// Without any of them it takes ten seconds, and with a count alone an hour at most.
///
/// ```no_run
/// use std::time::Duration;
/// use larder_load::{Http, Load};
///
/// // 500 requests a second for a minute, by up to 64 users, after five seconds that do not count.
/// let summary = Load::new(Http::parse("http://127.0.0.1:8080/deals/5")?)
///     .users(64)
///     .rate(500.0)
///     .warm_up(Duration::from_secs(5))
///     .duration(Duration::from_secs(60))
///     .run()?;
/// # Ok::<(), larder_load::Problem>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a load does nothing until it runs"]
pub struct Load {
    target: Target,
    users: usize,
    threads: usize,
    rate: Option<f64>,
    warm_up: Duration,
    duration: Option<Duration>,
    requests: Option<u64>,
    each: Option<u64>,
    timeout: Duration,
    connect_first: bool,
    keep: usize,
    anywhere: bool,
}

impl Load {
    /// A load of one user for ten seconds.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
            users: 1,
            threads: 1,
            rate: None,
            warm_up: Duration::ZERO,
            duration: None,
            requests: None,
            each: None,
            timeout: Duration::from_secs(30),
            connect_first: false,
            keep: 0,
            anywhere: false,
        }
    }

    /// Virtual users, each with a connection of its own, at most 50,000; 1 unless set. At a [`rate`](Self::rate) this is
    /// the most requests that may be under way at once.
    pub fn users(mut self, users: usize) -> Self {
        self.users = users;
        self
    }

    /// Threads that the users are spread over, at most 64 and no more than users; 1 unless set. More are of use where
    /// one is [busy](Summary::busy) all the time.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Requests a second, whatever the answers take: an open loop. Each counts from the moment it was meant to start;
    /// those that nobody was free for by the end are counted as [unsent](Summary::unsent).
    pub fn rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// Time before the [`duration`](Self::duration), whose requests are sent and do not count; none unless set.
    pub fn warm_up(mut self, warm_up: Duration) -> Self {
        self.warm_up = warm_up;
        self
    }

    /// For how long requests start, at most an hour. Those under way at its end are waited for.
    pub fn duration(mut self, duration: Duration) -> Self {
        self.duration = Some(duration);
        self
    }

    /// How many requests there are in all.
    pub fn requests(mut self, requests: u64) -> Self {
        self.requests = Some(requests);
        self
    }

    /// How many requests each user makes.
    pub fn each(mut self, each: u64) -> Self {
        self.each = Some(each);
        self
    }

    /// How long an answer is waited for, opening the connection included; 30 s unless set. The connection is closed then.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Whether all connections are opened before the first request, so that no request waits for its own; not unless set.
    pub fn connect_first(mut self, connect_first: bool) -> Self {
        self.connect_first = connect_first;
        self
    }

    /// Keeps so many requests with their own times, the first ones, at most a million; none unless set.
    pub fn keep(mut self, keep: usize) -> Self {
        self.keep = keep;
        self
    }

    /// Whether the target may be another machine; not unless set. A load is an attack on whoever did not ask for it.
    pub fn anywhere(mut self, anywhere: bool) -> Self {
        self.anywhere = anywhere;
        self
    }

    /// Runs the load on threads of its own, and holds the caller's thread until it has ended.
    ///
    /// # Errors
    /// A setting is out of bounds, the target is not on this machine or cannot be reached, or there is no thread left;
    /// nothing has been counted then. What fails later is counted in the summary.
    pub fn run(&self) -> Result<Summary, Problem> {
        let plan = self.plan()?;
        let ended = run::run(&plan)?;
        let mut summary = Summary {
            target: self.target.name(),
            users: plan.users,
            threads: plan.threads,
            rate: plan.rate,
            keep_alive: plan.target.keep_alive,
            unsent: ended.unsent,
            ..Summary::default()
        };
        ended.recorder.sum_up(&mut summary, ended.run_time);
        Ok(summary)
    }

    fn plan(&self) -> Result<Plan, Problem> {
        let counted = self.requests.is_some() || self.each.is_some();
        let usual = if counted {
            LONGEST
        } else {
            Duration::from_secs(10)
        };
        let plan = Plan {
            users: self.users,
            threads: self.threads.min(self.users),
            rate: self.rate,
            warm_up: self.warm_up,
            duration: self.duration.unwrap_or(usual),
            requests: self.requests.unwrap_or(u64::MAX),
            each: self.each.unwrap_or(u64::MAX),
            timeout: self.timeout,
            connect_first: self.connect_first,
            keep: self.keep,
            target: self.target.prepare(self.anywhere)?,
        };
        check(&plan)?;
        Ok(plan)
    }
}

fn check(plan: &Plan) -> Result<(), Problem> {
    let some = |time: Duration| !time.is_zero() && time <= LONGEST;
    let rate = |rate: f64| rate > 0.0 && rate <= MOST_A_SECOND;
    for (fine, wrong) in [
        (
            (1..=MOST_USERS).contains(&plan.users),
            "users: from 1 to 50,000",
        ),
        (
            (1..=MOST_THREADS).contains(&plan.threads),
            "threads: from 1 to 64",
        ),
        (
            plan.rate.is_none_or(rate),
            "rate: above 0, to 10,000,000 a second",
        ),
        (plan.warm_up <= LONGEST, "warm-up: an hour at most"),
        (some(plan.duration), "duration: above 0, to an hour"),
        (plan.requests > 0, "requests: at least 1"),
        (plan.each > 0, "each: at least 1"),
        (some(plan.timeout), "timeout: above 0, to an hour"),
        (plan.keep <= MOST_KEPT, "keep: a million at most"),
    ] {
        if !fine {
            return Err(Problem::setting(wrong));
        }
    }
    Ok(())
}
