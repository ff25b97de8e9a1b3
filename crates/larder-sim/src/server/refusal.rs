//! Why a command is not run.

use larder_redis::Reply;

/// Why a command is not run: the first word of the error that a real server gives, and the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    code: &'static str,
    text: &'static str,
}

pub(super) const WRONG_TYPE: Refusal = Refusal::new(
    "WRONGTYPE",
    "Operation against a key holding the wrong kind of value",
);
pub(super) const FULL: Refusal =
    Refusal::new("OOM", "command not allowed when used memory > 'maxmemory'.");
pub(super) const READ_ONLY: Refusal =
    Refusal::new("READONLY", "You can't write against a read only replica.");
pub(super) const CROSS_SLOT: Refusal =
    Refusal::new("CROSSSLOT", "Keys in request don't hash to the same slot");
pub(super) const SYNTAX: Refusal = Refusal::new("ERR", "syntax error");
pub(super) const NO_NUMBER: Refusal =
    Refusal::new("ERR", "value is not an integer or out of range");
pub(super) const NO_TIME: Refusal = Refusal::new("ERR", "invalid expire time");
pub(super) const UNKNOWN: Refusal = Refusal::new("ERR", "unknown command");
pub(super) const ARGUMENTS: Refusal = Refusal::new("ERR", "wrong number of arguments");

impl Refusal {
    const fn new(code: &'static str, text: &'static str) -> Self {
        Self { code, text }
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        Self::Error {
            code: refusal.code.to_owned(),
            text: refusal.text.to_owned(),
        }
    }
}
