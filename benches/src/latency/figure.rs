//! What one process found for one variant.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Times of one kind, in milliseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Times {
    pub(super) mean: f64,
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

/// What the callers of one variant met with.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Figure {
    /// From a caller's question to its value: the latency, and reading the value out of the bytes.
    pub(super) sample: Times,
    /// From a caller's question to the bytes of its answer, with all waiting for a connection.
    pub(super) latency: Times,
    /// What making a connection took.
    pub(super) connect: Times,
    /// How many connections were made for one turn of all callers.
    pub(super) connections: usize,
    /// One trip to the server and back, when nobody else asks.
    pub(super) trip: f64,
}

impl Times {
    /// # Panics
    /// When there is none.
    pub(super) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let sum: Duration = times.iter().sum();
        let at = |part: f64| {
            let place = (times.len() as f64 * part).ceil() as usize;
            millis(times[place.clamp(1, times.len()) - 1])
        };
        Self {
            mean: millis(sum) / times.len() as f64,
            p50: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

pub(super) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_least_time_that_so_many_do_not_exceed() {
        let times = Times::of((1..=200).rev().map(Duration::from_millis).collect());
        let shown = [times.mean, times.p50, times.p99, times.max].map(|time| time.round());
        assert_eq!(shown, [101.0, 100.0, 198.0, 200.0]);
        assert!((times.mean - 100.5).abs() < 1e-9);
    }
}
