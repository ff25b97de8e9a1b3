//! The command that writes a text.

use bytes::Bytes;
use larder_redis::Reply;

use super::command::{end, number};
use super::keyspace::{Data, Kept};
use super::refusal::{NO_TIME, Refusal, SYNTAX};
use super::turn::Turn;

/// `SET name value [NX] [PX ms]`.
pub(super) fn run(
    turn: &mut Turn<'_>,
    name: &Bytes,
    value: &Bytes,
    options: &[Bytes],
) -> Result<Reply, Refusal> {
    let options = Options::read(turn.now, options)?;
    if options.if_missing && turn.find(name).is_some() {
        return Ok(Reply::Nil);
    }
    let data = Data::Text(value.clone());
    let ends = options.ends;
    turn.write(name, Some(Kept { data, ends }));
    Ok(Reply::ok())
}

#[derive(Default)]
struct Options {
    if_missing: bool,
    ends: Option<u64>,
}

impl Options {
    fn read(now: u64, mut words: &[Bytes]) -> Result<Self, Refusal> {
        let mut options = Self::default();
        loop {
            words = match words {
                [] => return Ok(options),
                [word, rest @ ..] if word == "NX" => {
                    options.if_missing = true;
                    rest
                }
                [word, life, rest @ ..] if word == "PX" && options.ends.is_none() => {
                    let life = Some(number(life)?).filter(|life| *life > 0);
                    let ends = life.and_then(|life| end(now, life));
                    options.ends = Some(ends.ok_or(NO_TIME)?);
                    rest
                }
                _ => return Err(SYNTAX),
            };
        }
    }
}
