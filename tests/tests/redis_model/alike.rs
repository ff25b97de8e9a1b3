//! What counts as the same, between a clock that runs and one that is moved by hand.

use std::time::Duration;

use bytes::Bytes;
use larder_core::container::Container;
use larder_redis::Reply;

/// How far two times may differ, in milliseconds; the shortest life is five hundred times longer.
const STEP: u64 = 2_000;

/// Whether two replies are the same, but for times.
pub(crate) fn alike(one: &Reply, other: &Reply) -> bool {
    match (one, other) {
        (Reply::Int(one), Reply::Int(other)) => {
            one == other || *one.min(other) > 100_000 && one.abs_diff(*other) <= STEP
        }
        (Reply::Array(one), Reply::Array(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| alike(one, other))
        }
        (Reply::Bytes(one), Reply::Bytes(other)) => one == other || same_entry(one, other),
        (Reply::Error { code: one, text }, Reply::Error { code: other, .. }) => {
            one == other || refused_in_script(text) == Some(other)
        }
        _ => one == other,
    }
}

/// What a command within a script was refused for: servers before the seventh version wrap it.
pub(crate) fn refused_in_script(text: &str) -> Option<&str> {
    let (_, refusal) = text.rsplit_once(": ")?;
    let code = refusal.trim_start_matches('-').split(' ').next()?;
    let is_code = code.bytes().all(|byte| byte.is_ascii_uppercase());
    is_code.then_some(code)
}

/// Two entries whose parts end at about the same distance from their keys' ends.
fn same_entry(one: &Bytes, other: &Bytes) -> bool {
    let (Ok(one), Ok(other)) = (Container::parse(one), Container::parse(other)) else {
        return false;
    };
    let shape = |entry: &Container| {
        let parts = entry.parts().map(|part| {
            let barriers: Vec<_> = part.barriers().iter().collect();
            (
                part.schema(),
                part.is_expired(),
                barriers,
                part.frame().clone(),
            )
        });
        (entry.token(), parts.collect::<Vec<_>>(), entry.broken())
    };
    let step = Duration::from_millis(STEP);
    let mut ends = one.parts().zip(other.parts());
    shape(&one) == shape(&other)
        && ends.all(|(one, other)| one.earlier().abs_diff(other.earlier()) <= step)
}
