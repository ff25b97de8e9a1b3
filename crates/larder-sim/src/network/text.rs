//! Requests and replies as lines of a trace.

use bytes::Bytes;
use larder_redis::{Call, Reply, Request};

use super::rules::name_of;

pub(super) fn request(request: &Request) -> String {
    let keys = match request.call() {
        Call::Command { args, .. } => args,
        Call::Script { keys, .. } => keys,
    };
    let keys: Vec<_> = keys.iter().map(short).collect();
    format!("{} {}", name_of(request), keys.join(" "))
}

pub(super) fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Nil => "nil".to_owned(),
        Reply::Int(number) => number.to_string(),
        Reply::Bytes(bytes) => short(bytes),
        Reply::Array(replies) => {
            let replies: Vec<_> = replies.iter().map(self::reply).collect();
            format!("[{}]", replies.join(", "))
        }
        Reply::Status(word) => word.clone(),
        Reply::Error { code, .. } => code.clone(),
        _ => "?".to_owned(),
    }
}

/// Names as they are, tokens and values by their first bytes.
pub(super) fn short(bytes: &Bytes) -> String {
    const MOST: usize = 48;
    let text = std::str::from_utf8(bytes).ok();
    let plain = text.filter(|text| text.len() <= MOST && !text.contains(char::is_control));
    plain.map_or_else(|| hex(bytes), str::to_owned)
}

fn hex(bytes: &[u8]) -> String {
    let head: String = bytes
        .iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{head}…{}", bytes.len())
}
