//! Tokens of barriers: compared, taken, made.

use bytes::Bytes;
use larder_core::guard;
use larder_redis::Reply;

use super::super::command::Answer;
use super::super::refusal::{ARGUMENTS, Refusal};
use super::super::turn::Turn;
use super::{Value, argument, millis};

/// Barriers: life, asked….
pub(super) fn vouch_script(turn: &mut Turn<'_>, keys: &[Bytes], args: &[Bytes]) -> Answer {
    let life = millis(args, 0)?;
    let tokens = vouch(turn, keys, &args[1..], life)?;
    let array = |tokens: Vec<_>| Reply::Array(tokens.into_iter().map(Reply::Bytes).collect());
    Ok(tokens.map_or(Reply::Nil, array))
}

/// The barriers' tokens, empty bytes for one that is missing, if all are as asked. Those that are
/// there live on.
pub(super) fn vouch(
    turn: &mut Turn<'_>,
    barriers: &[Bytes],
    asked: &[Bytes],
    life: u64,
) -> Result<Option<Vec<Bytes>>, Refusal> {
    let mut tokens = Vec::new();
    for (at, barrier) in barriers.iter().enumerate() {
        let asked = argument(asked, at)?;
        let (mode, wanted) = asked.split_first().ok_or(ARGUMENTS)?;
        let value = turn.value(barrier);
        let there = !value.is_missing();
        let mut token = token(value).unwrap_or_default();
        if token.is_empty() && *mode == b'+' {
            if there {
                turn.remove(barrier)?;
            }
            token = Bytes::copy_from_slice(wanted);
            turn.put(barrier, token.clone(), life)?;
        }
        if *mode == b'=' && token != wanted {
            return Ok(None);
        }
        tokens.push(token);
    }
    for barrier in barriers {
        guard!(BarriersRenewed, renew(turn, barrier, life)?, ());
    }
    Ok(Some(tokens))
}

/// Lets what is there live for `life` at least.
pub(super) fn renew(turn: &mut Turn<'_>, name: &Bytes, life: u64) -> Result<(), Refusal> {
    let left = u64::try_from(turn.pttl(name)).unwrap_or_default();
    if left < life {
        turn.prolong(name, life)?;
    }
    Ok(())
}

/// The part with the heads of these tokens in its list, which may be shorter than they are.
pub(super) fn listing(part: &Bytes, tokens: &[Bytes]) -> Bytes {
    let mut part = part.to_vec();
    let listed = part.get(COUNT).copied().unwrap_or_default();
    for (at, token) in tokens.iter().take(usize::from(listed)).enumerate() {
        let from = PART + at * BARRIER + HEAD;
        let room = part.get_mut(from..from + HEAD);
        if let (Some(room), Some(head)) = (room, token.get(..HEAD)) {
            room.copy_from_slice(head);
        }
    }
    part.into()
}

/// Where a part says how many barriers it lists.
const COUNT: usize = 9;
/// Bytes of a part before its list, of an item of the list, and of either half of an item.
const PART: usize = 20;
const BARRIER: usize = 16;
const HEAD: usize = 8;

fn token(value: Value) -> Option<Bytes> {
    value.text().filter(|text| text.len() == 16)
}
