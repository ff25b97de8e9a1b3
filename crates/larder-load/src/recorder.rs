//! What is kept of requests while a load runs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use crate::sample::{Measured, Sample, millis};
use crate::schedule::Schedule;
use crate::{Second, Summary, Times};

/// So many kinds of errors are told apart; a server may answer with ever new ones.
const MOST_KINDS: usize = 40;
/// And these together.
const OTHERS: &str = "others";

/// All that one thread has seen.
#[derive(Debug)]
pub(crate) struct Recorder {
    origin: Instant,
    last: Instant,
    successful: u64,
    sample_time: Histogram<u64>,
    latency: Histogram<u64>,
    connect_time: Histogram<u64>,
    errors: BTreeMap<String, u64>,
    seconds: Vec<Tally>,
    samples: Vec<Sample>,
    keep: usize,
    /// The share of a core that the thread had.
    pub(crate) busy: Option<f64>,
}

/// What ended within one second.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    executed: u64,
    successful: u64,
    total: Duration,
    longest: Duration,
}

impl Recorder {
    pub(crate) fn new(schedule: &Schedule, keep: usize) -> Self {
        Self {
            origin: schedule.measured,
            last: schedule.measured,
            successful: 0,
            sample_time: histogram(),
            latency: histogram(),
            connect_time: histogram(),
            errors: BTreeMap::new(),
            seconds: Vec::new(),
            samples: Vec::new(),
            keep,
            busy: None,
        }
    }

    pub(crate) fn record(&mut self, measured: &Measured) {
        let took = measured.end.saturating_duration_since(measured.start);
        self.last = self.last.max(measured.end);
        self.sample_time.saturating_record(nanos(took));
        if let Some(came) = measured.came {
            let latency = came.first.saturating_duration_since(measured.start);
            self.latency.saturating_record(nanos(latency));
        }
        if let Some(connect) = measured.connect {
            self.connect_time.saturating_record(nanos(connect));
        }
        let second = measured
            .end
            .saturating_duration_since(self.origin)
            .as_secs();
        self.tally(second).add(took, measured.verdict.is_ok());
        match &measured.verdict {
            Ok(()) => self.successful += 1,
            Err(failure) => self.count(failure.name().into_owned(), 1),
        }
        if self.samples.len() < self.keep {
            self.samples.push(measured.kept(self.origin));
        }
    }

    /// A load lasts an hour, and an hour besides for an answer: they are not many.
    fn tally(&mut self, second: u64) -> &mut Tally {
        let index = second as usize;
        if self.seconds.len() <= index {
            self.seconds.resize_with(index + 1, Tally::default);
        }
        &mut self.seconds[index]
    }

    fn count(&mut self, kind: String, by: u64) {
        let most = MOST_KINDS + usize::from(self.errors.contains_key(OTHERS));
        let known = kind == OTHERS || self.errors.contains_key(&kind) || self.errors.len() < most;
        let kind = if known { kind } else { OTHERS.to_owned() };
        *self.errors.entry(kind).or_default() += by;
    }

    /// Adds what another thread has seen.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.last = self.last.max(other.last);
        self.successful += other.successful;
        for (mine, its) in [
            (&mut self.sample_time, &other.sample_time),
            (&mut self.latency, &other.latency),
            (&mut self.connect_time, &other.connect_time),
        ] {
            // All have the same bounds, outside of which it would fail.
            let _ = mine.add(its);
        }
        for (kind, by) in other.errors {
            self.count(kind, by);
        }
        for (second, its) in other.seconds.into_iter().enumerate() {
            self.tally(second as u64).absorb(its);
        }
        self.samples.extend(other.samples);
        self.samples
            .sort_by(|a, b| a.start_ms.total_cmp(&b.start_ms));
        self.samples.truncate(self.keep);
        // `None` is less than all.
        self.busy = if self.busy < other.busy {
            other.busy
        } else {
            self.busy
        };
    }

    /// Fills in all that was counted, of a load that took so long.
    pub(crate) fn sum_up(self, summary: &mut Summary, run_time: Duration) {
        let whole = run_time.as_secs();
        let rate = |count: u64| match run_time.as_secs_f64() {
            0.0 => 0.0,
            seconds => count as f64 / seconds,
        };
        let full = self.seconds.iter().take(whole as usize);
        let peak = full.map(|tally| tally.successful).max();
        summary.run_time_s = run_time.as_secs_f64();
        summary.executed = self.sample_time.len();
        summary.successful = self.successful;
        summary.failed = summary.executed - self.successful;
        summary.tps = rate(self.successful);
        // What ended in a part of a second, as the last is, is in the mean alone.
        summary.peak_tps = peak.map_or(0.0, |peak| peak as f64).max(summary.tps);
        summary.sample_time = Times::of(&self.sample_time);
        summary.latency = Times::of(&self.latency);
        summary.connect_time = Times::of(&self.connect_time);
        summary.errors = self.errors;
        summary.busy = self.busy;
        let seconds = self.seconds.iter().enumerate();
        summary.seconds = seconds.map(|(at, tally)| tally.second(at)).collect();
        summary.samples = self.samples;
    }

    /// When the last request ended; the origin if there was none.
    pub(crate) fn last(&self) -> Instant {
        self.last
    }
}

impl Tally {
    fn add(&mut self, took: Duration, successful: bool) {
        self.absorb(Self {
            executed: 1,
            successful: u64::from(successful),
            total: took,
            longest: took,
        });
    }

    fn absorb(&mut self, other: Self) {
        self.executed += other.executed;
        self.successful += other.successful;
        self.total += other.total;
        self.longest = self.longest.max(other.longest);
    }

    fn second(&self, second: usize) -> Second {
        Second {
            second: second as u64,
            executed: self.executed,
            successful: self.successful,
            mean_ms: millis(self.total) / self.executed.max(1) as f64,
            max_ms: millis(self.longest),
        }
    }
}

/// From a tenth of a microsecond to two hours, true to a thousandth: some 200 KiB.
fn histogram() -> Histogram<u64> {
    let most = 2 * 3_600_000_000_000;
    Histogram::new_with_bounds(100, most, 3).expect("bounds that are fine")
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
