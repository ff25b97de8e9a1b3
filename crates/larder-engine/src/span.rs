//! From when to when a result is used.

use std::time::Duration;

use larder_core::Moment;

/// What a result gets when it is stored, counted from then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Life {
    pub(crate) ttl: Duration,
    pub(crate) stale: Duration,
    /// No end at all, where the store is this process.
    pub(crate) endless: bool,
    pub(crate) idle: Option<Duration>,
    pub(crate) due: Option<Duration>,
}

impl Life {
    /// The span of a result that is stored `now`, by a clock that may lag by `step`.
    pub(crate) fn span(&self, now: Moment, step: Duration) -> Span {
        let fresh = if self.endless {
            Moment::MAX
        } else {
            now.after(self.ttl).before(step)
        };
        Span {
            fresh,
            until: fresh.after(self.stale),
            due: self.due.map_or(Moment::MAX, |due| now.after(due)),
            idle: self.idle,
        }
    }
}

/// From when to when a result is used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    /// From then on it is not fresh.
    pub(crate) fresh: Moment,
    /// From then on it is no fallback either.
    pub(crate) until: Moment,
    /// From then on it is to be refreshed.
    pub(crate) due: Moment,
    /// How long it lives unused.
    pub(crate) idle: Option<Duration>,
}
