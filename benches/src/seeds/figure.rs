//! What one process found for one variant.

use serde::{Deserialize, Serialize};

/// What callers of one variant did in the time that was measured, and what that took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// Seconds that were measured.
    pub(crate) time: f64,
    /// Requests that ended in them.
    pub(crate) executed: u64,
    /// Those of them that were answered well.
    pub(crate) successful: u64,
    /// Requests in the best second.
    pub(crate) peak: f64,
    /// Microseconds that half, and all but one in a hundred, did not exceed.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Processor time a request, in microseconds: of the process, and of the server.
    pub(crate) ours: f64,
    pub(crate) server: f64,
    /// The most memory of the process, in MiB.
    pub(crate) memory: f64,
    /// Why the first request failed that did.
    pub(crate) failure: Option<String>,
    /// Answers since the start, before the measured time too, and calls of the source for them; reads
    /// alone have a source.
    pub(crate) source: Option<Source>,
}

/// How often the source was asked.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Source {
    pub(crate) answers: u64,
    pub(crate) calls: u64,
}

impl Figure {
    /// Requests a second that were answered well.
    pub(crate) fn rate(&self) -> f64 {
        self.successful as f64 / self.time
    }
}
