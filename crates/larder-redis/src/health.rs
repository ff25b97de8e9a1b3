//! How a connection is.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{ConnectError, ConnectErrorKind};

/// How a connection is, at the moment of the question. It names no server and shows no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Health {
    /// What can be asked of the server now.
    pub state: State,
    /// For how long that has been so.
    pub since: Duration,
    /// Why there is no connection, or why the last one was given up.
    pub reason: Option<ConnectError>,
    /// Whether what is published is heard now. No, as long as nobody has asked to hear anything.
    pub hearing: bool,
    /// Batches of requests that wait for their answer, and those that nobody waits for any more.
    pub under_way: usize,
    /// Of a cluster, each master: in the order of their slots. Empty where there is no cluster.
    pub masters: Vec<MasterHealth>,
    /// What was counted since the connection was opened.
    pub counts: ConnectionCounts,
}

/// How the connection to one master of a cluster is. It names no server either: which one it is can be
/// asked of the cluster by its slot (`CLUSTER SLOTS`).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MasterHealth {
    /// The lowest of its slots; none, if none are known of any more.
    pub slot: Option<u16>,
    /// What can be asked of it now.
    pub state: State,
    /// For how long that has been so.
    pub since: Duration,
    /// Why there is no connection, or why the last one was given up.
    pub reason: Option<ConnectError>,
}

/// What can be asked of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// Nothing yet: an attempt to connect is under way. Requests fail at once.
    Connecting,
    /// Anything.
    #[non_exhaustive]
    Connected {
        /// How many connections there were, this one among them.
        generation: u64,
    },
    /// Nothing: requests fail at once.
    #[non_exhaustive]
    Down {
        /// How long until the next attempt to connect.
        retry: Duration,
    },
}

/// What a connection has counted since it was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ConnectionCounts {
    /// Connections that were made for requests.
    pub connected: u64,
    /// Connections that were made for what is published.
    pub listening: u64,
    /// Attempts of either kind that failed, by their reason; kinds without any are left out.
    pub failed: BTreeMap<ConnectErrorKind, u64>,
    /// Connections of either kind that were given up or lost, by their reason.
    pub replaced: BTreeMap<ConnectErrorKind, u64>,
    /// Batches that nobody waited for any more when their answer had not come.
    pub given_up: u64,
    /// Batches that were refused because there was no connection.
    pub unavailable: u64,
    /// Batches that were refused because too much was under way.
    pub refused: u64,
    /// How often answers were of the wrong kind, so that the connection was replaced.
    pub distrusted: u64,
}

impl State {
    /// Its name in logs and metrics: one of a fixed set.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Connected { .. } => "connected",
            Self::Down { .. } => "down",
        }
    }
}
