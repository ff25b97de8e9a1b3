//! When requests start, and which count.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::now::now;

/// The requests of a run, handed out to users one by one, over all threads.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// Requests that start from here on count.
    pub(crate) measured: Instant,
    begin: Instant,
    end: Instant,
    /// Requests a second; none in a closed loop.
    rate: Option<f64>,
    /// How many there are at most.
    most: u64,
    taken: AtomicU64,
}

impl Schedule {
    /// From `begin` on, first `warm_up` and then `duration` long; `most` requests of those that count.
    pub(crate) fn new(
        begin: Instant,
        warm_up: Duration,
        duration: Duration,
        rate: Option<f64>,
        most: u64,
    ) -> Self {
        let measured = begin + warm_up;
        let before = rate.map_or(0, |rate| within(warm_up, rate));
        let planned = rate.map_or(u64::MAX, |rate| within(warm_up + duration, rate));
        Self {
            measured,
            begin,
            end: measured + duration,
            rate,
            most: most.saturating_add(before).min(planned),
            taken: AtomicU64::new(0),
        }
    }

    /// The moment at which the next request is meant to start, or nothing at the end.
    pub(crate) fn next(&self) -> Option<Instant> {
        let now = now();
        if now >= self.end {
            return None;
        }
        // In a closed loop those before do not count; at a rate each has its number.
        if self.rate.is_none() && now < self.measured {
            return Some(now);
        }
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        if number >= self.most {
            return None;
        }
        Some(self.rate.map_or(now, |rate| {
            self.begin + Duration::from_secs_f64(number as f64 / rate)
        }))
    }

    /// How long it has taken from the start of what counts, where the last request ended at `last`: all of the time, if it
    /// is the time that ended it.
    pub(crate) fn run_time(&self, last: Instant) -> Duration {
        let end = if now() >= self.end {
            last.max(self.end)
        } else {
            last
        };
        end - self.measured
    }

    /// How many should have started by the end and did not, because no user was free.
    pub(crate) fn unsent(&self) -> u64 {
        let planned = self.rate.map_or(0, |_| self.most);
        planned.saturating_sub(self.taken.load(Ordering::Relaxed))
    }
}

/// How many requests begin in so long a time: the first at once.
fn within(time: Duration, rate: f64) -> u64 {
    // Saturates; a rate is positive and finite.
    (time.as_secs_f64() * rate).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn at_a_rate_starts_are_where_they_are_meant_to_be_however_late_they_are_taken() {
        let begin = now() - SECOND / 2;
        let schedule = Schedule::new(begin, Duration::ZERO, HOUR, Some(4.0), 3);
        let starts: Vec<_> = std::iter::from_fn(|| schedule.next()).collect();
        assert_eq!(starts, [begin, begin + SECOND / 4, begin + SECOND / 2]);
        assert_eq!(schedule.unsent(), 0);
    }

    #[test]
    fn what_nobody_was_free_for_is_unsent() {
        let begin = now() - HOUR;
        let schedule = Schedule::new(begin, Duration::ZERO, 2 * SECOND, Some(10.0), 1000);
        assert_eq!(schedule.next(), None);
        assert_eq!(schedule.unsent(), 20);
        let closed = Schedule::new(begin, Duration::ZERO, SECOND, None, 1000);
        assert_eq!((closed.next(), closed.unsent()), (None, 0));
    }

    #[test]
    fn the_count_is_of_those_after_the_warm_up() {
        let schedule = Schedule::new(now(), HOUR, HOUR, None, 2);
        assert_eq!(std::iter::from_fn(|| schedule.next()).take(9).count(), 9);
        let schedule = Schedule::new(now() - HOUR, HOUR, HOUR, None, 2);
        assert_eq!(std::iter::from_fn(|| schedule.next()).count(), 2);
        let schedule = Schedule::new(now() - HOUR, 2 * SECOND, 2 * HOUR, Some(3.0), 2);
        assert_eq!(std::iter::from_fn(|| schedule.next()).count(), 6 + 2);
    }
}
