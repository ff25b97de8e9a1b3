//! What a server answers.

use bytes::Bytes;

/// What a server answers to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "what the protocol has and larder reads"
)]
pub enum Reply {
    /// Nothing is there.
    Nil,
    /// A number.
    Int(i64),
    /// A text of any bytes.
    Bytes(Bytes),
    /// Replies in order.
    Array(Vec<Self>),
    /// A word such as `OK`.
    Status(String),
    /// A refusal.
    Error {
        /// The first word: what programs match.
        code: String,
        /// The rest: what people read.
        text: String,
    },
}
