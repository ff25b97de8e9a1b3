//! Errors and answers, without the types of the crate underneath.

use ::redis::{ErrorKind, RedisError, Value};
use larder_core::far::FarError;

use crate::replies::out_of_step;
use crate::wire::Reply;
use crate::{ConnectError, ConnectErrorKind};

/// What an error is to a connection. Codes come first: of some refusals the crate underneath knows
/// nothing else, and of one its two protocols make two kinds.
pub(super) fn error(error: &RedisError) -> ConnectError {
    if let Some(code) = error.code() {
        return ConnectError::refused(code);
    }
    let kind = match error.kind() {
        ErrorKind::AuthenticationFailed => return ConnectError::refused("WRONGPASS"),
        ErrorKind::MasterNameNotFoundBySentinel => ConnectErrorKind::NoMaster,
        ErrorKind::Parse | ErrorKind::UnexpectedReturnType => ConnectErrorKind::Garbage,
        _ if error.is_timeout() => ConnectErrorKind::Silent,
        _ if error.is_connection_refusal() => ConnectErrorKind::Refused,
        _ if is_invalid(error) => ConnectErrorKind::Garbage,
        _ if error.is_connection_dropped() => ConnectErrorKind::Lost,
        ErrorKind::Io => ConnectErrorKind::Unreachable,
        _ => ConnectErrorKind::Other,
    };
    kind.into()
}

fn is_invalid(error: &RedisError) -> bool {
    use std::error::Error;
    let source = error
        .source()
        .and_then(|source| source.downcast_ref::<std::io::Error>());
    source.is_some_and(|source| source.kind() == std::io::ErrorKind::InvalidData)
}

/// An answer as those of the older protocol are. One of a kind that no request of ours has is out of
/// step.
pub(super) fn reply(value: Value) -> Result<Reply, FarError> {
    Ok(match value {
        Value::Nil => Reply::Nil,
        Value::Int(number) => Reply::Int(number),
        Value::Boolean(is) => Reply::Int(i64::from(is)),
        Value::BulkString(bytes) => Reply::Bytes(bytes.into()),
        Value::VerbatimString { text, .. } => Reply::bytes(text),
        Value::Double(number) => Reply::bytes(number.to_string()),
        Value::Okay => Reply::ok(),
        Value::SimpleString(word) => Reply::Status(word),
        Value::Array(all) | Value::Set(all) => Reply::Array(replies(all)?),
        Value::Map(all) => {
            let both = all.into_iter().flat_map(|(key, value)| [key, value]);
            Reply::Array(replies(both)?)
        }
        Value::ServerError(error) => {
            Reply::error(error.code(), error.details().unwrap_or_default())
        }
        _ => return Err(out_of_step()),
    })
}

/// Many answers.
pub(super) fn replies(values: impl IntoIterator<Item = Value>) -> Result<Vec<Reply>, FarError> {
    values.into_iter().map(reply).collect()
}
