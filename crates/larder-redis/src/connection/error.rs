//! What went wrong below the seam.

use std::error::Error;
use std::fmt;

use ::redis::RedisError;

/// A connection could not be made, or broke. Says what kind of failure it is, and nothing of what was
/// connected to or sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectError {
    what: String,
}

impl ConnectError {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what gave it has no use for it any more"
    )]
    pub(super) fn new(error: RedisError) -> Self {
        let what = match error.code() {
            Some(code) => format!("the server says {code}"),
            None if error.is_timeout() => "timed out".to_owned(),
            None if error.is_connection_refusal() => "connection refused".to_owned(),
            None if error.is_connection_dropped() => "connection lost".to_owned(),
            None => format!("{:?}", error.kind()),
        };
        Self { what }
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for ConnectError {}
