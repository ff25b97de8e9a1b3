//! Errors, without the types of the crate underneath.

use ::redis::{ErrorKind, RedisError};

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
