//! A distribution of times.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Times of many requests, in milliseconds, true to a thousandth of each; all zero where there were none.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Times {
    /// Of how many requests.
    pub count: u64,
    /// The shortest.
    pub min_ms: f64,
    /// The mean.
    pub mean_ms: f64,
    /// The standard deviation.
    pub deviation_ms: f64,
    /// Half of them took no longer.
    pub p50_ms: f64,
    /// 90 % of them took no longer.
    pub p90_ms: f64,
    /// 95 % of them took no longer.
    pub p95_ms: f64,
    /// 99 % of them took no longer.
    pub p99_ms: f64,
    /// 99.9 % of them took no longer.
    pub p999_ms: f64,
    /// The longest.
    pub max_ms: f64,
}

impl Times {
    /// From nanoseconds.
    pub(crate) fn of(histogram: &Histogram<u64>) -> Self {
        if histogram.is_empty() {
            return Self::default();
        }
        let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e6;
        Self {
            count: histogram.len(),
            min_ms: histogram.min() as f64 / 1e6,
            mean_ms: histogram.mean() / 1e6,
            deviation_ms: histogram.stdev() / 1e6,
            p50_ms: at(0.5),
            p90_ms: at(0.9),
            p95_ms: at(0.95),
            p99_ms: at(0.99),
            p999_ms: at(0.999),
            max_ms: histogram.max() as f64 / 1e6,
        }
    }
}
