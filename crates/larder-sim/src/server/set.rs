//! The command that writes a text.

use bytes::Bytes;
use larder_redis::Reply;

use super::command::{end, number};
use super::keyspace::{Data, Kept};
use super::refusal::{NO_TIME, Refusal, SYNTAX};
use super::turn::Turn;

/// `SET name value [NX | XX] [GET] [PX ms | EX s | KEEPTTL]`.
pub(super) fn run(
    turn: &mut Turn<'_>,
    name: &Bytes,
    value: &Bytes,
    options: &[Bytes],
) -> Result<Reply, Refusal> {
    let options = Options::read(turn.now, options)?;
    let old = match options.get {
        true => Some(turn.text(name)?.map_or(Reply::Nil, Reply::Bytes)),
        false => None,
    };
    let there = turn.find(name);
    let ends = match options.keep {
        true => there.and_then(|kept| kept.ends),
        false => options.ends,
    };
    if options
        .only_if
        .is_some_and(|wanted| wanted != there.is_some())
    {
        return Ok(old.unwrap_or(Reply::Nil));
    }
    let data = Data::Text(value.clone());
    turn.write(name, Some(Kept { data, ends }));
    Ok(old.unwrap_or_else(|| Reply::Status("OK".to_owned())))
}

#[derive(Default)]
struct Options {
    /// Whether something must or must not be there.
    only_if: Option<bool>,
    get: bool,
    keep: bool,
    ends: Option<u64>,
}

impl Options {
    fn read(now: u64, mut words: &[Bytes]) -> Result<Self, Refusal> {
        let mut options = Self::default();
        while let [word, rest @ ..] = words {
            words = rest;
            let unit = match word.to_ascii_uppercase().as_slice() {
                b"NX" if options.only_if != Some(true) => {
                    options.only_if = Some(false);
                    continue;
                }
                b"XX" if options.only_if != Some(false) => {
                    options.only_if = Some(true);
                    continue;
                }
                b"GET" => {
                    options.get = true;
                    continue;
                }
                b"KEEPTTL" if options.ends.is_none() => {
                    options.keep = true;
                    continue;
                }
                b"PX" if !options.keep && options.ends.is_none() => 1,
                b"EX" if !options.keep && options.ends.is_none() => 1000,
                _ => return Err(SYNTAX),
            };
            let [life, rest @ ..] = words else {
                return Err(SYNTAX);
            };
            words = rest;
            let life = number(life)?.checked_mul(unit).filter(|life| *life > 0);
            let ends = life.and_then(|life| end(now, life));
            options.ends = Some(ends.ok_or(NO_TIME)?);
        }
        Ok(options)
    }
}
