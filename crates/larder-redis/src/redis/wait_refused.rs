//! Why a store cannot wait for replicas.

use std::error::Error;
use std::fmt;

/// Why a store cannot wait for replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitRefused {
    /// On a cluster each master has replicas of its own, and one wait says nothing of the others.
    Cluster,
    /// No replica, or no whole millisecond, is to be waited for.
    Zero,
    /// It is the wire of the store itself: each wait would hold up all reads.
    SameWire,
    /// The store waits already.
    Twice,
}

impl fmt::Display for WaitRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self {
            Self::Cluster => "each master of a cluster has replicas of its own: leave it out",
            Self::Zero => "ask for one replica and one millisecond at least",
            Self::SameWire => "a wait holds up what is behind it: give it a connection of its own",
            Self::Twice => "the store waits already: ask once",
        };
        write!(f, "wait_for_replicas: {why}")
    }
}

impl Error for WaitRefused {}
