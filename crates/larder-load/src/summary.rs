//! What a load has shown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Sample, Times};

/// What a load has shown. Its warm-up is in none of the figures.
///
/// As JSON it has the fields below. Shown as text it is a table, of which [`to_csv`](Self::to_csv) has the seconds and
/// [`samples_to_csv`](Self::samples_to_csv) the requests that were kept.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// What was asked.
    pub target: String,
    /// How many asked.
    pub users: usize,
    /// On how many threads.
    pub threads: usize,
    /// Requests a second that were meant to start, in an open loop.
    pub rate: Option<f64>,
    /// Whether users kept their connections.
    pub keep_alive: bool,
    /// From the start of what counts to the end of the last request, in seconds.
    pub run_time_s: f64,
    /// Requests that ended, well or not.
    pub executed: u64,
    /// Of these, such as had a good answer.
    pub successful: u64,
    /// Of these, the others.
    pub failed: u64,
    /// Requests that were meant to start and did not, because every user still waited for an answer; in an open loop
    /// alone. Times leave them out: with many of these, all of them are too good.
    pub unsent: u64,
    /// Successful requests a second, over the run time.
    pub tps: f64,
    /// Successful requests in the best whole second; at least `tps`, also where no second is whole.
    pub peak_tps: f64,
    /// From start to last byte, of all that were executed; of one that failed until it had.
    pub sample_time: Times,
    /// From start to first byte, of all that had one.
    pub latency: Times,
    /// What opening a connection took, of all requests that had to.
    pub connect_time: Times,
    /// Failures by kind: `timed out`, `closed early`, `status 503`, `reply ERR`, `connect: …`, `socket: …`,
    /// `no answer: …`; after some forty kinds `others`.
    pub errors: BTreeMap<String, u64>,
    /// The largest share of a core that a thread of the load had, where the machine says so. Near 1 the load may be what
    /// was measured: give it more [threads](crate::Load::threads), and cores.
    pub busy: Option<f64>,
    /// Second by second.
    pub seconds: Vec<Second>,
    /// The requests that were [kept](crate::Load::keep), by their start.
    pub samples: Vec<Sample>,
}

/// The requests that ended within one second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Second {
    /// Whole seconds since the start of what counts.
    pub second: u64,
    /// How many ended.
    pub executed: u64,
    /// Of these, such as had a good answer.
    pub successful: u64,
    /// Their mean sample time, in milliseconds.
    pub mean_ms: f64,
    /// Their longest sample time, in milliseconds.
    pub max_ms: f64,
}
