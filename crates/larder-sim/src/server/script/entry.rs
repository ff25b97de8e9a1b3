//! Entries: a token and parts.

use bytes::Bytes;
use larder_core::container::Part;
use larder_core::guard;
use larder_redis::Reply;

use super::super::command::Answer;
use super::super::refusal::{ARGUMENTS, Refusal};
use super::super::turn::Turn;
use super::barriers::{listing, vouch};
use super::number::announce;
use super::parts::{Entry, earlier, write};
use super::{argument, millis};

/// Entry, barriers: token, life, barrier life, channel, wake, part, asked….
pub(super) fn store(turn: &mut Turn<'_>, keys: &[Bytes], args: &[Bytes]) -> Answer {
    let (entry, barriers) = keys.split_first().ok_or(ARGUMENTS)?;
    let mut part = argument(args, 5)?.clone();
    let token = argument(args, 0)?;
    let held = holds(turn, entry, token);
    let Some(old) = guard!(StoreCompare, held, unseen(turn, entry, token)) else {
        return Ok(Reply::Int(0));
    };
    if !barriers.is_empty() {
        let Some(tokens) = vouch(turn, barriers, &args[6..], millis(args, 2)?)? else {
            return Ok(Reply::Int(0));
        };
        part = listing(&part, &tokens);
    }
    let part = Entry::part(&part).ok_or(ARGUMENTS)?;
    keep(turn, entry, old, &part, millis(args, 1)?)?;
    wake(turn, argument(args, 3)?, argument(args, 4)?)?;
    Ok(Reply::Int(1))
}

/// Tells who waits for the load of an entry that it has ended.
fn wake(turn: &mut Turn<'_>, channel: &Bytes, wake: &Bytes) -> Result<(), Refusal> {
    guard!(WakeSent, turn.tell(channel, wake.clone()), Ok(()))
}

/// Writes a part for `life` and behind it, with its own end, the first of another schema that has
/// not ended.
fn keep(
    turn: &mut Turn<'_>,
    name: &Bytes,
    old: Entry,
    part: &Part,
    life: u64,
) -> Result<(), Refusal> {
    let left = left(turn, name);
    let ends = |part: Part| (left.saturating_sub(earlier(&part)), part);
    let mut others = old.parts.into_iter().map(ends);
    let other = others.find(|(ends, old)| old.schema() != part.schema() && *ends > 0);
    let key = other.as_ref().map_or(life, |(ends, _)| life.max(*ends));
    let mut value = old.token.to_vec();
    if life > 0 {
        value.extend(write(part, key - life, part.is_expired()));
    }
    if let Some((ends, other)) = &other {
        value.extend(write(other, key - ends, other.is_expired()));
    }
    if key == 0 {
        return turn.remove(name);
    }
    turn.put(name, value.into(), key)
}

/// Entry, number, barriers: token, new token, life, barrier life, part, fresh, channel, message,
/// asked….
pub(super) fn put(turn: &mut Turn<'_>, keys: &[Bytes], args: &[Bytes]) -> Answer {
    let barrier = millis(args, 3)?;
    let held = holds(turn, &keys[0], argument(args, 0)?).is_some();
    let holds = guard!(PutCompare, held, true);
    turn.remove(&keys[0])?;
    let stored = holds && renewed(turn, keys, args, barrier)?;
    if let Some(number) = keys.get(1) {
        let (fresh, told) = (argument(args, 5)?, args.get(6..8).ok_or(ARGUMENTS)?);
        announce(turn, number, barrier, fresh, told)?;
    }
    Ok(Reply::Int(i64::from(stored)))
}

/// Puts the part under the new token, if the barriers are as asked.
fn renewed(
    turn: &mut Turn<'_>,
    keys: &[Bytes],
    args: &[Bytes],
    barrier: u64,
) -> Result<bool, Refusal> {
    let barriers = keys.get(2..).unwrap_or_default();
    let asked = args.get(8..).unwrap_or_default();
    let Some(tokens) = vouch(turn, barriers, asked, barrier)? else {
        return Ok(false);
    };
    let part = if tokens.is_empty() {
        args[4].clone()
    } else {
        listing(&args[4], &tokens)
    };
    let life = millis(args, 2)?;
    if life > 0 {
        turn.put(&keys[0], [&args[1][..], &part].concat().into(), life)?;
    }
    Ok(true)
}

/// Entry…, number: how many entries, new token for each, barrier life, fresh, channel, message for
/// each.
pub(super) fn expire(turn: &mut Turn<'_>, keys: &[Bytes], args: &[Bytes]) -> Answer {
    let entries = usize::try_from(millis(args, 0)?).map_err(|_| ARGUMENTS)?;
    for (at, name) in keys.iter().take(entries).enumerate() {
        mark(turn, name, argument(args, 1 + at)?)?;
    }
    if let Some(number) = keys.get(entries) {
        let (life, fresh) = (millis(args, entries + 1)?, argument(args, entries + 2)?);
        announce(turn, number, life, fresh, &args[entries + 3..])?;
    }
    Ok(Reply::Int(0))
}

/// Marks the parts of an entry and gives it a new token; one without parts is gone.
fn mark(turn: &mut Turn<'_>, name: &Bytes, token: &Bytes) -> Result<(), Refusal> {
    let value = turn.value(name).text();
    let left = left(turn, name);
    turn.remove(name)?;
    let entry = value.and_then(|value| Entry::read(&value));
    let Some(old) = entry.filter(|old| !old.parts.is_empty() && left > 0) else {
        return Ok(());
    };
    let expired = guard!(ExpireMarks, true, false);
    let marked = old
        .parts
        .iter()
        .map(|part| write(part, earlier(part), expired));
    let token = guard!(ExpireNewToken, token.to_vec(), old.token.to_vec());
    let value = [token, marked.collect::<Vec<_>>().concat()].concat();
    turn.put(name, value.into(), left)
}

/// Entry: token, channel, wake.
pub(super) fn release(turn: &mut Turn<'_>, keys: &[Bytes], args: &[Bytes]) -> Answer {
    let own = turn.value(&keys[0]).text();
    if own.as_ref() != Some(argument(args, 0)?) {
        return Ok(Reply::Int(0));
    }
    turn.remove(&keys[0])?;
    wake(turn, argument(args, 1)?, argument(args, 2)?)?;
    Ok(Reply::Int(1))
}

/// Entry: head, new token, life.
pub(super) fn open(turn: &mut Turn<'_>, keys: &[Bytes], args: &[Bytes]) -> Answer {
    let (head, fresh) = (argument(args, 0)?, argument(args, 1)?);
    let value = turn.value(&keys[0]);
    let there = !value.is_missing();
    let container = value.text().filter(|text| text.len() >= TOKEN);
    let replaced = |text: &Bytes| !head.is_empty() && text.starts_with(head);
    if let Some(text) = container.filter(|text| !replaced(text)) {
        let parts = Reply::Int(i64::from(text.len() > TOKEN));
        let token = Reply::Bytes(text.slice(..TOKEN));
        return Ok(Reply::Array(vec![Reply::Int(0), token, parts]));
    }
    if there {
        turn.remove(&keys[0])?;
    }
    turn.put(&keys[0], fresh.clone(), millis(args, 2)?)?;
    let made = vec![Reply::Int(1), Reply::Bytes(fresh.clone()), Reply::Int(0)];
    Ok(Reply::Array(made))
}

/// Entry.
pub(super) fn look(turn: &mut Turn<'_>, keys: &[Bytes]) -> Answer {
    let value = turn.value(&keys[0]).text();
    let value = value.map_or(Reply::Nil, Reply::Bytes);
    Ok(Reply::Array(vec![turn.command("PTTL", keys)?, value]))
}

const TOKEN: usize = 16;

/// The entry, if it is under this token.
fn holds(turn: &Turn<'_>, name: &Bytes, token: &Bytes) -> Option<Entry> {
    let entry = Entry::read(&turn.value(name).text()?)?;
    (entry.token[..] == token[..]).then_some(entry)
}

/// The entry, whatever its token, as a store sees it that compares nothing.
#[cfg(larder_mutants)]
fn unseen(turn: &Turn<'_>, name: &Bytes, token: &Bytes) -> Option<Entry> {
    let there = turn
        .value(name)
        .text()
        .and_then(|value| Entry::read(&value));
    there.or_else(|| Entry::read(token))
}

/// How many milliseconds a key has; none if it has no end.
fn left(turn: &Turn<'_>, name: &Bytes) -> u64 {
    u64::try_from(turn.pttl(name)).unwrap_or_default()
}
