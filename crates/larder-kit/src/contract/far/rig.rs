//! A far tier under test, and the calls that checks make of it.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_core::BoxFuture;
use larder_core::far::{
    Abilities, Barrier, Bus, FarError, FarTicket, Guarded, Missing, Part, Put, Read, Space, Stored,
    Want,
};

use crate::Virtual;
use crate::contract::Verdict;
use crate::contract::place::same;

pub(super) const SECOND: Duration = Duration::from_secs(1);
pub(super) const HOUR: Duration = Duration::from_secs(3600);
/// How long a load may take.
pub(super) const LOAD: Duration = Duration::from_secs(30);
/// How long a barrier lives that nobody renews.
pub(super) const BARRIER: Duration = HOUR;
/// A far tier under test, and the calls that checks make of it. An error of the store is a failed
/// check.
pub(super) struct Rig {
    time: Virtual,
    abilities: Abilities,
    /// What the store may lose of a time.
    pub(super) grain: Duration,
}

/// A part, as most checks want it.
pub(super) fn part<'a>(bytes: &str, tags: &'a [&'a str], ends: Duration) -> Part<'a> {
    let bytes = Bytes::copy_from_slice(bytes.as_bytes());
    Part { bytes, tags, ends }
}

/// The place of a cache for a shape.
pub(super) fn space(cache: &str, schema: u64) -> Space {
    Space::new(cache.into(), 1, schema).lives(LOAD, BARRIER)
}

/// The cache of checks for which its name is of no matter.
pub(super) fn deals() -> Space {
    space("deals", 7)
}

impl Rig {
    pub(super) const fn new(abilities: Abilities, time: Virtual, grain: Duration) -> Self {
        Self {
            time,
            abilities,
            grain,
        }
    }

    pub(super) fn guarded(&self) -> &Arc<dyn Guarded> {
        let guarded = self.abilities.guarded.as_ref();
        guarded.expect("the store can guard")
    }

    pub(super) fn bus(&self) -> &Arc<dyn Bus> {
        let bus = self.abilities.bus.as_ref();
        bus.expect("the store can tell others")
    }

    /// Lets time pass.
    pub(super) fn pass(&self, time: Duration) {
        self.time.advance(time);
    }

    /// Lets the store's own tasks run, if it has any.
    pub(super) fn settle(&self) {
        self.time.run_until_idle();
    }

    pub(super) fn read(
        &self,
        space: &Space,
        keys: &[&[u8]],
        tags: &[&str],
        want: Want,
    ) -> Result<Vec<Read>, String> {
        let answers = self.run("read", self.guarded().read(space, keys, tags, want))?;
        same(&answers.len(), &keys.len(), "answers of a read")?;
        Ok(answers)
    }

    pub(super) fn look(&self, space: &Space, key: &str) -> Result<Read, String> {
        one(self.read(space, &[key.as_bytes()], &[], Want::Look)?)
    }

    pub(super) fn load(&self, space: &Space, key: &str, tags: &[&str]) -> Result<Read, String> {
        one(self.read(space, &[key.as_bytes()], tags, Want::Load)?)
    }

    /// The ticket of a load.
    pub(super) fn ticket(
        &self,
        space: &Space,
        key: &str,
        tags: &[&str],
    ) -> Result<FarTicket, String> {
        let ticket = self.load(space, key, tags)?.ticket;
        ticket.ok_or_else(|| "a load got no ticket".to_owned())
    }

    pub(super) fn store(
        &self,
        space: &Space,
        key: &str,
        ticket: &FarTicket,
        part: Part<'_>,
    ) -> Result<Stored, String> {
        let store = self.guarded().store_if(space, key.as_bytes(), ticket, part);
        self.run("store_if", store)
    }

    /// A load from its beginning to its end, undisturbed.
    pub(super) fn fill(&self, space: &Space, key: &str, part: Part<'_>) -> Verdict {
        let ticket = self.ticket(space, key, part.tags)?;
        self.stores(space, key, &ticket, part, "undisturbed")
    }

    /// The ticket still holds.
    pub(super) fn stores(
        &self,
        space: &Space,
        key: &str,
        ticket: &FarTicket,
        part: Part<'_>,
        when: &str,
    ) -> Verdict {
        let stored = self.store(space, key, ticket, part)?;
        same(&stored, &Stored::Stored, &format!("of a store {when}"))
    }

    /// The ticket holds no more: neither is its value stored nor does the refusal leave anything.
    pub(super) fn refuses(
        &self,
        space: &Space,
        key: &str,
        ticket: &FarTicket,
        part: Part<'_>,
        when: &str,
    ) -> Verdict {
        let old = part.bytes.clone();
        let stored = self.store(space, key, ticket, part)?;
        same(&stored, &Stored::Refused, &format!("of a store {when}"))?;
        let found = self.look(space, key)?.found;
        if found.is_some_and(|found| found.bytes == old) {
            return Err(format!("the refused value was found {when}"));
        }
        Ok(())
    }

    pub(super) fn put(
        &self,
        space: &Space,
        key: &str,
        ticket: &FarTicket,
        part: Part<'_>,
    ) -> Result<Put, String> {
        let put = self.guarded().put_if(space, key.as_bytes(), ticket, part);
        self.run("put_if", put)
    }

    pub(super) fn invalidate(&self, space: &Space, key: &str) -> Verdict {
        let invalidate = |keys| self.run("invalidate", self.guarded().invalidate(space, keys));
        invalidate(&[key.as_bytes()])
    }

    pub(super) fn expire(&self, space: &Space, key: &str) -> Verdict {
        let expire = |keys| self.run("expire", self.guarded().expire(space, keys));
        expire(&[key.as_bytes()])
    }

    pub(super) fn drop_tag(&self, space: &Space, tag: &str) -> Verdict {
        let drop = self.guarded().drop_barrier(space, Barrier::Tag(tag));
        self.run("drop_barrier", drop)
    }

    pub(super) fn clear(&self, space: &Space) -> Verdict {
        let drop = self.guarded().drop_barrier(space, Barrier::All);
        self.run("drop_barrier", drop)
    }

    pub(super) fn release(&self, space: &Space, key: &str, ticket: &FarTicket) -> Verdict {
        let release = self.guarded().release(space, key.as_bytes(), ticket);
        self.run("release", release)
    }

    pub(super) fn purge(&self, cache: &str) -> Result<u64, String> {
        let sweep = self.abilities.sweep.as_ref();
        let sweep = sweep.expect("the store can sweep");
        self.run("purge", sweep.purge(cache))
    }

    pub(super) fn number(&self, space: &Space) -> Result<u64, String> {
        self.run("number", self.bus().number(space))
    }

    /// Runs an operation, and the store's tasks after it.
    pub(super) fn run<T>(
        &self,
        name: impl Display,
        operation: BoxFuture<'_, Result<T, FarError>>,
    ) -> Result<T, String> {
        let end = self.time.block_on(operation);
        self.settle();
        end.map_err(|error| format!("{name} failed: {error}"))
    }

    /// Nothing is found, and the store says why, or nothing.
    pub(super) fn says(&self, space: &Space, key: &str, missing: Missing) -> Verdict {
        let read = self.look(space, key)?;
        let fine = read.missing == missing || read.missing == Missing::Absent;
        same(&read.found.is_none(), &true, "of nothing being found")?;
        same(
            &fine,
            &true,
            &format!("of {missing:?} for {:?}", read.missing),
        )
    }

    /// These bytes are found, not expired.
    pub(super) fn holds(&self, space: &Space, key: &str, bytes: &str, when: &str) -> Verdict {
        let Some(found) = self.look(space, key)?.found else {
            return Err(format!("{key:?} was not found {when}"));
        };
        same(&&found.bytes[..], &bytes.as_bytes(), when)?;
        same(&found.expired, &false, &format!("of being expired {when}"))
    }

    /// Nothing is found, neither by a look nor by a load.
    pub(super) fn lacks(&self, space: &Space, key: &str, when: &str) -> Verdict {
        let mut looked = self.look(space, key)?.found;
        if looked.is_none() {
            looked = self.load(space, key, &[])?.found;
        }
        match looked {
            None => Ok(()),
            Some(found) => Err(format!("{key:?} was found {when}: {:?}", found.bytes)),
        }
    }
}

fn one(mut answers: Vec<Read>) -> Result<Read, String> {
    answers.pop().ok_or_else(|| "no answer".to_owned())
}
