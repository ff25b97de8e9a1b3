//! The command that lists names.

use bytes::Bytes;
use larder_redis::Reply;

use super::command::number;
use super::pattern::fits;
use super::refusal::{NO_NUMBER, Refusal, SYNTAX};
use super::turn::Turn;

/// `SCAN cursor [MATCH pattern] [COUNT count]`.
///
/// Names come in the order of their digests and the cursor is the last digest seen, so whatever is
/// there from the first call to the last is listed, as a real server promises.
pub(super) fn run(turn: &Turn<'_>, cursor: &[u8], options: &[Bytes]) -> Result<Reply, Refusal> {
    let cursor = std::str::from_utf8(cursor).ok();
    let cursor: u64 = cursor.and_then(|text| text.parse().ok()).ok_or(NO_NUMBER)?;
    let (pattern, count) = options_of(options)?;
    let alive = turn.state.keys.alive(turn.now);
    let mut rest: Vec<_> = alive
        .map(|(name, _)| (larder_core::digest(name), name))
        .filter(|(digest, name)| *digest > cursor && turn.asks(name))
        .collect();
    rest.sort_unstable();
    let end = rest.len() <= count;
    let batch = &rest[..count.min(rest.len())];
    let next = batch.last().filter(|_| !end).map_or(0, |last| last.0);
    let fitting = batch.iter().filter(|(_, name)| fits(pattern, name));
    let names = fitting.map(|(_, name)| Reply::Bytes((*name).clone()));
    Ok(Reply::Array(vec![
        Reply::Bytes(next.to_string().into()),
        Reply::Array(names.collect()),
    ]))
}

fn options_of(mut words: &[Bytes]) -> Result<(&[u8], usize), Refusal> {
    let (mut pattern, mut count): (&[u8], usize) = (b"*", 10);
    while let [word, value, rest @ ..] = words {
        match word.to_ascii_uppercase().as_slice() {
            b"MATCH" => pattern = value,
            b"COUNT" => {
                let wanted = usize::try_from(number(value)?).ok();
                count = wanted.filter(|count| *count > 0).ok_or(SYNTAX)?;
            }
            _ => return Err(SYNTAX),
        }
        words = rest;
    }
    words.is_empty().then_some((pattern, count)).ok_or(SYNTAX)
}
