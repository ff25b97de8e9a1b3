//! What callers have seen.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use larder_core::Moment;

/// What callers have seen since they were last asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) calls: u64,
    /// Errors that callers were given.
    pub(crate) errors: Vec<String>,
    /// Values older than an invalidation that had returned before the call.
    pub(crate) wrong: Vec<String>,
    /// The longest that a caller waited.
    pub(crate) longest: Duration,
    /// How calls were answered.
    pub(crate) how: HashMap<&'static str, u64>,
    /// When a call was first and last answered without the far tier.
    pub(super) past: Option<(Moment, Moment)>,
    /// How many calls those were of each key.
    pub(crate) keys: BTreeMap<usize, u64>,
    /// The longest that an invalidation took, and how many were queued.
    pub(crate) change: Duration,
    pub(crate) queued: u64,
}

impl Seen {
    /// For how long calls were answered without the far tier: from the first to the last of them.
    pub(crate) fn without(&self) -> Duration {
        self.past
            .map_or(Duration::ZERO, |(first, last)| last.since(first))
    }

    /// Nobody was given an error or an old value, or waited long.
    pub(crate) fn is_fine(&self) {
        assert!(self.calls > 0, "nobody has called");
        assert!(self.errors.is_empty(), "{self:#?}");
        assert!(self.wrong.is_empty(), "{self:#?}");
        assert!(self.longest < LONG, "{self:#?}");
        assert!(self.change < LONG, "{self:#?}");
    }
}

/// Ten times the far tier's deadline, for machines short of time; less than any failover takes.
const LONG: Duration = Duration::from_millis(2500);
