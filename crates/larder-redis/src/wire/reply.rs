//! What a server answers.

use bytes::Bytes;

/// What a server answers to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply {
    /// Nothing: there is no such key, or a condition was not met.
    Nil,
    /// A number.
    Int(i64),
    /// Bytes.
    Bytes(Bytes),
    /// Several answers.
    Array(Vec<Self>),
    /// A word of the server's, most of all `OK`.
    Status(String),
    /// A refusal. The request has changed nothing, unless it was a script that had changed
    /// something before.
    Error {
        /// The first word of the answer, which says what kind of refusal it is: `OOM`, `READONLY`.
        code: String,
        /// The rest: for people.
        text: String,
    },
}

impl Reply {
    /// The answer `OK`.
    #[must_use]
    pub fn ok() -> Self {
        Self::Status("OK".to_owned())
    }

    /// The answer with these bytes.
    pub fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self::Bytes(bytes.into())
    }

    /// The refusal with this code and text.
    pub fn error(code: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Error {
            code: code.into(),
            text: text.into(),
        }
    }
}
