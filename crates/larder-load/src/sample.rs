//! One request.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::link::Came;

/// One request, as it is [kept](crate::Load::keep). Times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sample {
    /// When it was meant to start, from the start of what counts.
    pub start_ms: f64,
    /// From its start to the last byte of the answer, or until it had failed.
    pub sample_ms: f64,
    /// From its start to the first byte of the answer, if there was one.
    pub latency_ms: Option<f64>,
    /// What opening its connection took, if it had to be opened.
    pub connect_ms: Option<f64>,
    /// How it failed, if it did.
    pub error: Option<String>,
}

/// One request, measured.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) start: Instant,
    pub(crate) connect: Option<Duration>,
    pub(crate) came: Option<Came>,
    pub(crate) end: Instant,
    pub(crate) verdict: Result<(), Failure>,
}

impl Measured {
    pub(crate) fn kept(&self, origin: Instant) -> Sample {
        let since = |moment: Instant| moment.saturating_duration_since(self.start);
        Sample {
            start_ms: millis(self.start.saturating_duration_since(origin)),
            sample_ms: millis(since(self.end)),
            latency_ms: self.came.map(|came| millis(since(came.first))),
            connect_ms: self.connect.map(millis),
            error: self
                .verdict
                .as_ref()
                .err()
                .map(|failure| failure.name().into_owned()),
        }
    }
}

pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
