//! The number of a cache, raised with each message.

use bytes::Bytes;
use larder_redis::Reply;

use super::super::command::{Answer, number as decimal};
use super::super::refusal::Refusal;
use super::super::turn::Turn;
use super::barriers::renew;
use super::{argument, millis};

/// Number, what is deleted…: barrier life, fresh, channel, message….
pub(super) fn remove(turn: &mut Turn<'_>, keys: &[Bytes], args: &[Bytes]) -> Answer {
    for name in &keys[1..] {
        turn.remove(name)?;
    }
    let fresh = argument(args, 1)?;
    announce(turn, &keys[0], millis(args, 0)?, fresh, &args[2..])?;
    Ok(Reply::Int(0))
}

/// Number, clear, any: barrier life, fresh.
pub(super) fn number(turn: &mut Turn<'_>, keys: &[Bytes], args: &[Bytes]) -> Answer {
    let (life, fresh) = (millis(args, 0)?, argument(args, 1)?);
    for name in keys {
        renew(turn, name, life)?;
    }
    let found = turn.value(&keys[0]).text();
    if let Some(found) = found.filter(|text| is_number(text)) {
        return Ok(Reply::Bytes(found));
    }
    turn.remove(&keys[0])?;
    turn.put(&keys[0], fresh.clone(), life)?;
    Ok(Reply::Bytes(fresh.clone()))
}

/// Raises the number and publishes for each message; `told` is the channel and the messages.
pub(super) fn announce(
    turn: &mut Turn<'_>,
    name: &Bytes,
    life: u64,
    fresh: &Bytes,
    told: &[Bytes],
) -> Result<(), Refusal> {
    let channel = argument(told, 0)?;
    turn.prolong(name, life)?;
    if turn.value(name).is_missing() {
        turn.put(name, fresh.clone(), life)?;
    }
    for message in &told[1..] {
        let number = raise(turn, name, life, fresh)?;
        let text = [message.as_ref(), number.to_string().as_bytes()].concat();
        turn.tell(channel, text.into())?;
    }
    Ok(())
}

/// The next number; where what is there is none of ours, or has run too far, it starts anew.
fn raise(turn: &mut Turn<'_>, name: &Bytes, life: u64, fresh: &Bytes) -> Result<i64, Refusal> {
    let incr = |turn: &mut Turn<'_>| turn.command("INCR", std::slice::from_ref(name));
    if let Ok(Reply::Int(number)) = incr(turn)
        && number > 0
    {
        return Ok(number);
    }
    turn.remove(name)?;
    turn.put(name, fresh.clone(), life)?;
    let number = incr(turn)?;
    Ok(if let Reply::Int(number) = number {
        number
    } else {
        0
    })
}

fn is_number(text: &[u8]) -> bool {
    decimal(text).is_ok_and(|number| number > 0)
}
