//! Plain commands.

use bytes::Bytes;
use larder_redis::Reply;

use super::keyspace::{Data, Kept};
use super::refusal::{ARGUMENTS, CROSS_SLOT, NO_NUMBER, NO_TIME, Refusal, UNKNOWN};
use super::slot::slot;
use super::turn::Turn;
use super::{scan, set};

pub(super) type Answer = Result<Reply, Refusal>;

impl Turn<'_> {
    /// Runs one command, as a request of its own or from within a script.
    pub(super) fn command(&mut self, name: &str, words: &[Bytes]) -> Answer {
        match (name, words) {
            ("PING", []) => Ok(Reply::Status("PONG".to_owned())),
            ("GET", [name]) => self.get(name),
            ("MGET", [_, ..]) => self.mget(words),
            ("PTTL", [name]) => Ok(Reply::Int(self.pttl(name))),
            ("EXISTS", [_, ..]) => self.exists(words),
            ("SET", [name, value, options @ ..]) => {
                self.may_write(true)?;
                set::run(self, name, value, options)
            }
            ("INCR", [name]) => self.incr(name),
            ("PEXPIRE", [name, life]) => self.pexpire(name, life),
            ("UNLINK" | "DEL", [_, ..]) => self.unlink(words),
            ("PUBLISH", [channel, text]) => Ok(self.publish(channel, text)),
            ("SCAN", [cursor, options @ ..]) => scan::run(self, cursor, options),
            (name, _) if KNOWN.contains(&name) => Err(ARGUMENTS),
            _ => Err(UNKNOWN),
        }
    }

    /// Refuses names of different parts of a cluster.
    pub(super) fn one_slot(&self, names: &[Bytes]) -> Result<(), Refusal> {
        if !self.state.cluster {
            return Ok(());
        }
        let mut slots = names.iter().map(|name| slot(name));
        let first = slots.next();
        let fine = slots.all(|slot| Some(slot) == first);
        fine.then_some(()).ok_or(CROSS_SLOT)
    }

    fn get(&self, name: &[u8]) -> Answer {
        Ok(self.text(name)?.map_or(Reply::Nil, Reply::Bytes))
    }

    /// Other types are nothing here.
    fn mget(&self, names: &[Bytes]) -> Answer {
        self.one_slot(names)?;
        let text = |name: &Bytes| self.get(name).unwrap_or(Reply::Nil);
        Ok(Reply::Array(names.iter().map(text).collect()))
    }

    pub(super) fn pttl(&self, name: &[u8]) -> i64 {
        match self.find(name).map(|kept| kept.left(self.now)) {
            None => -2,
            Some(None) => -1,
            Some(Some(left)) => i64::try_from(left).unwrap_or(i64::MAX),
        }
    }

    fn exists(&self, names: &[Bytes]) -> Answer {
        self.one_slot(names)?;
        let found = names.iter().filter(|name| self.find(name).is_some());
        Ok(count(found.count()))
    }

    fn incr(&mut self, name: &Bytes) -> Answer {
        self.may_write(true)?;
        let text = self.text(name)?.unwrap_or_else(|| "0".into());
        let next = number(&text)?.checked_add(1).ok_or(NO_NUMBER)?;
        let ends = self.find(name).and_then(|kept| kept.ends);
        let data = Data::Text(next.to_string().into());
        self.write(name, Some(Kept { data, ends }));
        Ok(Reply::Int(next))
    }

    fn pexpire(&mut self, name: &Bytes, life: &[u8]) -> Answer {
        self.may_write(false)?;
        let life = number(life)?;
        let ends = end(self.now, life).ok_or(NO_TIME)?;
        let Some(kept) = self.find(name).cloned() else {
            return Ok(Reply::Int(0));
        };
        let ends = Some(ends);
        self.write(name, (life > 0).then_some(Kept { ends, ..kept }));
        Ok(Reply::Int(1))
    }

    fn unlink(&mut self, names: &[Bytes]) -> Answer {
        self.one_slot(names)?;
        self.may_write(false)?;
        let mut removed = 0;
        for name in names {
            if self.find(name).is_some() {
                self.write(name, None);
                removed += 1;
            }
        }
        Ok(count(removed))
    }

    /// Runs on a full and on a read-only server alike. How many heard it is not for a model to say:
    /// on a cluster a real server does not know it either.
    fn publish(&mut self, channel: &Bytes, text: &Bytes) -> Reply {
        self.published.push((channel.clone(), text.clone()));
        Reply::Int(0)
    }
}

const KNOWN: &[&str] = &[
    "PING", "GET", "MGET", "PTTL", "EXISTS", "SET", "INCR", "PEXPIRE", "UNLINK", "DEL", "PUBLISH",
    "SCAN",
];

/// A number as a server reads it: no sign but `-`, no space, no zero in front.
pub(super) fn number(text: &[u8]) -> Result<i64, Refusal> {
    let text = std::str::from_utf8(text).map_err(|_| NO_NUMBER)?;
    let number: i64 = text.parse().map_err(|_| NO_NUMBER)?;
    let same = number.to_string() == text;
    same.then_some(number).ok_or(NO_NUMBER)
}

/// The moment `life` milliseconds after `now`.
pub(super) fn end(now: u64, life: i64) -> Option<u64> {
    let ends = now.checked_add_signed(life);
    let ends = ends.filter(|ends| i64::try_from(*ends).is_ok());
    ends.or_else(|| (life < 0).then_some(0))
}

fn count(count: usize) -> Reply {
    Reply::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
