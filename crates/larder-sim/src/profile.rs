//! What a run is about.

use std::fmt;

/// What a run is about: which calls are frequent and what goes wrong. Uniform runs meet what is
/// rare too late, so there is a profile for each kind of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// A little of everything.
    Uniform,
    /// Nothing goes wrong: what the counts promise holds exactly.
    Calm,
    /// Commands without an answer, carried out later, elsewhere in the order, or never.
    Unknown,
    /// Replicas that take over and never heard of what was acknowledged.
    Failover,
    /// Nodes that are paused or do not hear of the others.
    Blind,
    /// Messages that are lost, doubled and late.
    Messages,
    /// Many writers.
    Puts,
    /// More unacknowledged changes than the queue holds.
    Overflow,
    /// Callers who leave.
    Dropped,
    /// Near and far tiers too small for what is in use.
    Evictions,
    /// Nodes that crash, stores that come back empty.
    Restarts,
    /// What is past its time, served while or because there is nothing newer, and refreshed.
    Stale,
    /// Calls of several keys.
    Batches,
    /// Loaders that fail, panic, take too long and never end.
    Loaders,
    /// Sources of elements, with readers who are slow and leave.
    Streams,
    /// What is refreshed before its end, or held to be unchanged, and what says its own time.
    Renewals,
    /// Caches, and calls, that look at nothing or keep nothing.
    Switches,
    /// Nodes that let one of them load a key, and wait for it.
    Leases,
    /// Replicas that take over and never heard of what was acknowledged, and nodes that say it again.
    Requeues,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 19] = [
        Self::Uniform,
        Self::Calm,
        Self::Unknown,
        Self::Failover,
        Self::Blind,
        Self::Messages,
        Self::Puts,
        Self::Overflow,
        Self::Dropped,
        Self::Evictions,
        Self::Restarts,
        Self::Stale,
        Self::Batches,
        Self::Loaders,
        Self::Streams,
        Self::Renewals,
        Self::Switches,
        Self::Leases,
        Self::Requeues,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Calm => "calm",
            Self::Unknown => "unknown",
            Self::Failover => "failover",
            Self::Blind => "blind",
            Self::Messages => "messages",
            Self::Puts => "puts",
            Self::Overflow => "overflow",
            Self::Dropped => "dropped",
            Self::Evictions => "evictions",
            Self::Restarts => "restarts",
            Self::Stale => "stale",
            Self::Batches => "batches",
            Self::Loaders => "loaders",
            Self::Streams => "streams",
            Self::Renewals => "renewals",
            Self::Switches => "switches",
            Self::Leases => "leases",
            Self::Requeues => "requeues",
        }
    }

    /// The profile of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
