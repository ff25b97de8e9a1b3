//! The time in which callers work, and what they count.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use super::clock::now;

/// Callers work from its start to its end, and count from its beginning.
#[derive(Default)]
pub(crate) struct Stage {
    works: AtomicBool,
    began: OnceLock<Instant>,
    ended: AtomicBool,
}

/// What one caller has done, or several.
pub(crate) struct Tally {
    times: Histogram<u64>,
    /// Requests in each tenth of a second.
    tenths: Vec<u64>,
    /// Requests ever, those before the beginning included.
    pub(crate) ever: u64,
    failed: u64,
    /// Why the first of those that failed did.
    pub(crate) why: Option<anyhow::Error>,
}

impl Stage {
    /// What comes from now on is measured.
    pub(crate) fn begin(&self) -> Instant {
        *self.began.get_or_init(now)
    }

    /// Callers stop when what this gives is dropped, also by an error or a panic.
    pub(crate) const fn ending(&self) -> Ending<'_> {
        Ending(self)
    }

    /// Whether a caller has got so far that it asks.
    pub(crate) fn works(&self) -> bool {
        self.works.load(Ordering::Relaxed)
    }

    pub(crate) fn goes_on(&self) -> bool {
        if !self.works() {
            self.works.store(true, Ordering::Relaxed);
        }
        !self.ended.load(Ordering::Relaxed)
    }
}

/// Ends a stage.
pub(crate) struct Ending<'a>(&'a Stage);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Relaxed);
    }
}

/// Microseconds; what takes longer counts as this.
const LONGEST: u64 = 60_000_000;

impl Tally {
    pub(crate) fn new() -> Self {
        // A hundredth is near enough, and keeps what is counted small beside what is measured.
        let times = Histogram::new_with_bounds(1, LONGEST, 2).expect("bounds in order");
        Self {
            times,
            tenths: Vec::new(),
            ever: 0,
            failed: 0,
            why: None,
        }
    }

    /// Counts a request that began at `began` and ends now.
    pub(crate) fn count(&mut self, stage: &Stage, began: Instant, end: anyhow::Result<()>) {
        self.ever += 1;
        let ended = now();
        let since = stage.began.get().filter(|_| stage.goes_on());
        if let Err(why) = end {
            self.failed += u64::from(since.is_some());
            self.why.get_or_insert(why);
        }
        if let Some(since) = since {
            self.times.saturating_record(micros(ended - began));
            self.tick((ended - *since).as_millis() as usize / 100);
        }
    }

    fn tick(&mut self, tenth: usize) {
        if self.tenths.len() <= tenth {
            self.tenths.resize(tenth + 1, 0);
        }
        self.tenths[tenth] += 1;
    }

    /// With what another caller has done.
    pub(crate) fn with(mut self, other: Self) -> Self {
        self.times += &other.times;
        for (tenth, count) in other.tenths.iter().enumerate() {
            self.tenths.resize(self.tenths.len().max(tenth + 1), 0);
            self.tenths[tenth] += count;
        }
        self.ever += other.ever;
        self.failed += other.failed;
        self.why = self.why.or(other.why);
        self
    }

    pub(crate) fn executed(&self) -> u64 {
        self.times.len()
    }

    pub(crate) fn successful(&self) -> u64 {
        self.times.len() - self.failed
    }

    /// Microseconds that this part of the requests did not exceed.
    pub(crate) fn within(&self, part: f64) -> f64 {
        self.times.value_at_quantile(part) as f64
    }

    /// Requests in the best second that lies wholly in the time; its rate if that is shorter.
    pub(crate) fn peak(&self, time: f64) -> f64 {
        let whole = (time * 10.0) as usize;
        let tenths = &self.tenths[..whole.min(self.tenths.len())];
        let seconds = tenths.windows(10).map(|second| second.iter().sum::<u64>());
        match seconds.max() {
            Some(best) => best as f64,
            None => self.executed() as f64 / time,
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn what_ended_before_the_beginning_is_not_measured() {
        let stage = Stage::default();
        let mut tally = Tally::new();
        tally.count(&stage, now(), Ok(()));
        let began = stage.begin();
        tally.count(&stage, began, Ok(()));
        tally.count(&stage, began, Err(anyhow!("no")));
        assert_eq!(
            (tally.ever, tally.executed(), tally.successful()),
            (3, 2, 1)
        );
        let both = tally.with(Tally::new());
        assert!(both.why.is_some_and(|why| why.to_string() == "no"));
    }

    #[test]
    fn the_best_second_may_begin_at_any_tenth() {
        let mut tally = Tally::new();
        for tenth in 0..20 {
            let count = if (5..15).contains(&tenth) { 9 } else { 1 };
            (0..count).for_each(|_| tally.tick(tenth));
        }
        assert!((tally.peak(2.0) - 90.0).abs() < f64::EPSILON);
    }
}
