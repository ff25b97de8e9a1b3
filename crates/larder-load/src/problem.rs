//! Why a load did not run.

use std::io;
use std::net::SocketAddr;

/// Why a load did not run. What fails while it runs is counted in its summary instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A setting makes no sense, alone or with another; says which and why.
    #[error("{0}")]
    Setting(String),
    /// The name of the target's host has no address.
    #[error("no address for {0}: {1}")]
    Unknown(String, io::Error),
    /// The target is not on this machine, and nobody has said that it may be elsewhere.
    #[error(
        "{0} is not the loopback: a load on a machine of others needs to be asked for (`anywhere`)"
    )]
    Elsewhere(SocketAddr),
    /// Nobody listens at the target.
    #[error("cannot connect to {0}: {1}")]
    Unreachable(SocketAddr, io::Error),
    /// The machine gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

impl Problem {
    pub(crate) fn setting(what: impl Into<String>) -> Self {
        Self::Setting(what.into())
    }
}
