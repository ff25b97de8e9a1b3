//! Answers, without the types of the crate underneath.

use ::redis::Value;
use larder_core::far::FarError;

use crate::replies::out_of_step;
use crate::wire::Reply;

/// An answer of a kind that no request of ours has is out of step.
pub(super) fn read(value: Value) -> Result<Reply, FarError> {
    Ok(match value {
        Value::Nil => Reply::Nil,
        Value::Int(number) => Reply::Int(number),
        Value::BulkString(bytes) => Reply::Bytes(bytes.into()),
        Value::Okay => Reply::ok(),
        Value::SimpleString(word) => Reply::Status(word),
        Value::Array(all) => Reply::Array(all.into_iter().map(read).collect::<Result<_, _>>()?),
        Value::ServerError(error) => {
            Reply::error(error.code(), error.details().unwrap_or_default())
        }
        _ => return Err(out_of_step()),
    })
}
