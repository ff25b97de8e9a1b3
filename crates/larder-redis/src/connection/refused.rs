//! Requests that were not sent.

use std::error::Error;
use std::fmt;

use crate::ConnectError;

/// Why a batch of requests was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    /// There is no connection, for this reason if any is known.
    Unavailable(Option<ConnectError>),
    /// Too much is under way.
    Busy,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(None) => f.write_str("no connection yet"),
            Self::Unavailable(Some(why)) => write!(f, "no connection: {why}"),
            Self::Busy => f.write_str("too many requests are without an answer"),
        }
    }
}

impl Error for Refused {}
