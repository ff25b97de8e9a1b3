//! Reading a batch's replies, one after another.

use std::vec::IntoIter;

use bytes::Bytes;
use larder_core::far::FarError;

use crate::refusal::{OutOfStep, Refusal};
use crate::wire::Reply;

/// A batch's replies, in the order of its requests.
pub(crate) struct Replies(IntoIter<Reply>);

/// What lies under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing, or (in an answer for many keys) what is no text.
    None,
    Bytes(Bytes),
    /// Something that is no text: nothing of ours.
    Foreign,
}

impl Replies {
    pub(crate) fn new(replies: Vec<Reply>) -> Self {
        Self(replies.into_iter())
    }

    /// The next, whatever it is.
    pub(crate) fn next(&mut self) -> Result<Reply, FarError> {
        self.0.next().ok_or_else(out_of_step)
    }

    /// The next, where a refusal ends the operation.
    fn granted(&mut self) -> Result<Reply, FarError> {
        granted(self.next()?)
    }

    pub(crate) fn int(&mut self) -> Result<i64, FarError> {
        int(&self.granted()?)
    }

    /// Whether a script says that it did its work: 1, not 0.
    pub(crate) fn did(&mut self) -> Result<bool, FarError> {
        Ok(self.int()? != 0)
    }

    pub(crate) fn value(&mut self) -> Result<Value, FarError> {
        value(self.next()?)
    }

    /// The next, which answers for so many keys.
    pub(crate) fn values(&mut self, count: usize) -> Result<Vec<Value>, FarError> {
        let all = array(self.granted()?)?;
        if all.len() != count {
            return Err(out_of_step());
        }
        all.into_iter().map(value).collect()
    }

    /// The answers of which the next consists; `None` if it is nil.
    pub(crate) fn maybe_array(&mut self) -> Result<Option<Vec<Reply>>, FarError> {
        match self.granted()? {
            Reply::Nil => Ok(None),
            reply => array(reply).map(Some),
        }
    }

    /// What a condition made of a write: whether it was met. A refusal is none.
    pub(crate) fn set(&mut self) -> Result<Set, FarError> {
        match self.next()? {
            Reply::Status(_) => Ok(Set::Done),
            Reply::Nil => Ok(Set::Kept),
            Reply::Error { .. } => Ok(Set::Refused),
            _ => Err(out_of_step()),
        }
    }

    /// The next is the bare acknowledgement of a write.
    pub(crate) fn done(&mut self) -> Result<(), FarError> {
        match self.granted()? {
            Reply::Status(_) => Ok(()),
            _ => Err(out_of_step()),
        }
    }
}

/// What became of a write under a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    Done,
    /// The condition was not met.
    Kept,
    /// The server takes no writes, or not this one.
    Refused,
}

pub(crate) fn granted(reply: Reply) -> Result<Reply, FarError> {
    match reply {
        Reply::Error { code, text } => Err(Refusal::new(code, &text).far()),
        reply => Ok(reply),
    }
}

pub(crate) fn int(reply: &Reply) -> Result<i64, FarError> {
    match reply {
        Reply::Int(number) => Ok(*number),
        _ => Err(out_of_step()),
    }
}

pub(crate) fn value(reply: Reply) -> Result<Value, FarError> {
    match reply {
        Reply::Nil => Ok(Value::None),
        Reply::Bytes(bytes) => Ok(Value::Bytes(bytes)),
        Reply::Error { code, .. } if code == "WRONGTYPE" => Ok(Value::Foreign),
        reply => Err(granted(reply).err().unwrap_or_else(out_of_step)),
    }
}

pub(crate) fn array(reply: Reply) -> Result<Vec<Reply>, FarError> {
    match reply {
        Reply::Array(all) => Ok(all),
        _ => Err(out_of_step()),
    }
}

pub(crate) fn out_of_step() -> FarError {
    FarError::unknown(OutOfStep)
}
