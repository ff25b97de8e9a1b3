//! How a request fails.

use std::borrow::Cow;
use std::io::ErrorKind;

/// How one request failed; counted by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The connection could not be opened.
    Connect(ErrorKind),
    /// The connection broke.
    Socket(ErrorKind),
    /// The other side closed before the answer was whole.
    Closed,
    /// No whole answer in time.
    TimedOut,
    /// A status from 400.
    Status(u16),
    /// An error of Redis, by its first word.
    Reply(String),
    /// Bytes that are no answer.
    Broken(&'static str),
}

impl Failure {
    pub(crate) fn name(&self) -> Cow<'static, str> {
        match self {
            Self::Connect(kind) => format!("connect: {kind}").into(),
            Self::Socket(kind) => format!("socket: {kind}").into(),
            Self::Closed => "closed early".into(),
            Self::TimedOut => "timed out".into(),
            Self::Status(status) => format!("status {status}").into(),
            Self::Reply(word) => format!("reply {word}").into(),
            Self::Broken(what) => format!("no answer: {what}").into(),
        }
    }
}
