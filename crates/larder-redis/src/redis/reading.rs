//! Reading: plain commands, time left first.

use std::collections::HashMap;
use std::vec::IntoIter;

use bytes::Bytes;
use larder_core::far::{FarError, FarFound, FarTicket, Missing, Read, Want};

use super::At;
use super::seen::{Barriers, Content, Entry};
use crate::args;
use crate::names::Barrier;
use crate::replies::{self, Replies, Value};
use crate::scripts::LOOK;
use crate::ticket::Ticket;
use crate::wire::Request;

/// A read under way: each key once, in the order in which they were first named.
pub(super) struct Reading<'a> {
    pub(super) at: At<'a>,
    pub(super) names: Vec<Bytes>,
    /// By their digests, each once.
    pub(super) tags: Vec<u64>,
    pub(super) entries: Vec<Entry>,
    pub(super) barriers: Barriers,
    /// Whether this read has made the entry's token; empty as long as it has made none.
    made: Vec<bool>,
    /// Entries that were missing or dead, and whose tokens others had made and stored under before
    /// this read could.
    pub(super) overtaken: Vec<usize>,
}

impl<'a> At<'a> {
    pub(super) async fn read(
        self,
        keys: &[&[u8]],
        tags: &[&str],
        want: Want,
    ) -> Result<Vec<Read>, FarError> {
        let (names, places) = self.unique(keys);
        let mut reading = self.look(names, tags).await?;
        reading.look_closer(want).await?;
        let mut found = reading.found();
        if want == Want::Load {
            reading.make().await?;
            reading.look_again(&mut found).await?;
        }
        let answers = found.into_iter().enumerate();
        let answers: Vec<_> = answers
            .map(|(at, found)| reading.answer(at, found))
            .collect();
        Ok(match places {
            None => answers,
            Some(places) => places.into_iter().map(|at| answers[at].clone()).collect(),
        })
    }

    /// The keys' names, each once, and for each key the place of its name if a key comes twice.
    fn unique(&self, keys: &[&[u8]]) -> (Vec<Bytes>, Option<Vec<usize>>) {
        if let [key] = keys {
            return (vec![self.names.entry(key)], None);
        }
        let mut seen = HashMap::with_capacity(keys.len());
        let mut names = Vec::with_capacity(keys.len());
        let places = keys.iter().map(|key| {
            *seen.entry(*key).or_insert_with(|| {
                names.push(self.names.entry(key));
                names.len() - 1
            })
        });
        let places: Vec<_> = places.collect();
        let twice = places.len() != names.len();
        (names, twice.then_some(places))
    }

    /// The first trip: the time left, then entries and barriers.
    async fn look(self, names: Vec<Bytes>, tags: &[&str]) -> Result<Reading<'a>, FarError> {
        let mut reading = Reading {
            at: self,
            tags: digests(tags),
            entries: Vec::with_capacity(names.len()),
            barriers: Barriers::default(),
            made: Vec::new(),
            overtaken: Vec::new(),
            names,
        };
        if reading.names.is_empty() {
            return Ok(reading);
        }
        let barriers: Vec<_> = reading.shared().collect();
        let entries = reading.names.len();
        let mut batch = Vec::with_capacity(2 * entries + 1);
        batch.extend(reading.names.iter().map(pttl));
        self.get(&reading.names, &barriers, &mut batch);
        let mut replies = self.redis.ask(batch).await?;
        let times: Result<Vec<_>, _> = (0..entries).map(|_| replies.int()).collect();
        let mut values = self.got(entries, barriers.len(), &mut replies)?;
        let found = times?.into_iter().zip(values.by_ref());
        (reading.entries).extend(found.map(|(time, value)| Entry::new(time, value)));
        for (barrier, token) in barriers.iter().zip(values) {
            reading.barriers.put(*barrier, &token);
        }
        for _ in reading.entries.iter().filter(|entry| entry.is_odd()) {
            self.redis.0.counters.foreign();
        }
        Ok(reading)
    }

    /// Adds the requests for the values of entries and barriers: one, or on a cluster one for each
    /// entry and one for the barriers.
    pub(super) fn get(&self, entries: &[Bytes], barriers: &[Barrier], batch: &mut Vec<Request>) {
        let together = if self.redis.is_cluster() {
            let entries = entries.iter();
            batch.extend(entries.map(|name| Request::command("GET", vec![name.clone()])));
            &[]
        } else {
            entries
        };
        let mut names = Vec::with_capacity(together.len() + barriers.len());
        names.extend_from_slice(together);
        names.extend(barriers.iter().map(|barrier| self.names.barrier(*barrier)));
        if !names.is_empty() {
            batch.push(Request::command("MGET", names));
        }
    }

    /// The replies to [`get`](Self::get), those of the entries first.
    pub(super) fn got(
        &self,
        entries: usize,
        barriers: usize,
        replies: &mut Replies,
    ) -> Result<IntoIter<Value>, FarError> {
        let mut values = Vec::new();
        let mut together = entries + barriers;
        if self.redis.is_cluster() {
            for _ in 0..entries {
                values.push(replies.value()?);
            }
            together = barriers;
        }
        if together > 0 {
            let mut rest = replies.values(together)?;
            if values.is_empty() {
                return Ok(rest.into_iter());
            }
            values.append(&mut rest);
        }
        Ok(values.into_iter())
    }
}

impl Reading<'_> {
    /// The barriers of a ticket.
    pub(super) fn shared(&self) -> impl Iterator<Item = Barrier> + '_ {
        let tags = self.tags.iter().map(|tag| Barrier::Tag(*tag));
        [Barrier::Clear, Barrier::Any].into_iter().chain(tags)
    }

    /// The second trip, if need be: the barriers that only the parts name, and the time left where it
    /// has to come with the value.
    async fn look_closer(&mut self, want: Want) -> Result<(), FarError> {
        let schema = self.at.space.schema();
        let mut unknown = Vec::new();
        for entry in &self.entries {
            let parts = entry
                .container()
                .into_iter()
                .flat_map(|container| container.parts());
            // Who loads must know whether all parts are dead.
            let parts = parts.filter(|part| want == Want::Load || part.schema() == schema);
            unknown.extend(parts.flat_map(|part| self.barriers.unknown(part)));
        }
        unknown.sort_unstable();
        unknown.dedup();
        let vague: Vec<_> = (0..self.entries.len())
            .filter(|at| self.entries[*at].wants_look(schema))
            .collect();
        if unknown.is_empty() && vague.is_empty() {
            return Ok(());
        }
        let mut batch = Vec::new();
        self.at.get(&[], &unknown, &mut batch);
        batch.extend(vague.iter().map(|at| look(&self.names[*at])));
        let mut replies = self.at.redis.ask(batch).await?;
        let tokens = self.at.got(0, unknown.len(), &mut replies)?;
        for (barrier, token) in unknown.iter().zip(tokens) {
            self.barriers.put(*barrier, &token);
        }
        for at in vague {
            let (pttl, value) = looked(&mut replies)?;
            self.entries[at].looked(pttl, &value);
        }
        Ok(())
    }

    /// One more trip for what was stored while this read made tokens: its load is over, so nobody
    /// would be woken by it.
    async fn look_again(
        &mut self,
        found: &mut [Result<FarFound, Missing>],
    ) -> Result<(), FarError> {
        let overtaken = std::mem::take(&mut self.overtaken);
        if overtaken.is_empty() {
            return Ok(());
        }
        let looks = overtaken.iter().map(|at| look(&self.names[*at]));
        let mut replies = self.at.redis.ask(looks.collect()).await?;
        for at in &overtaken {
            let (pttl, value) = looked(&mut replies)?;
            self.entries[*at] = Entry::at_once(pttl, value);
        }
        self.look_closer(Want::Look).await?;
        for at in overtaken {
            found[at] = self.entries[at].usable(self.at.space.schema(), &self.barriers);
        }
        Ok(())
    }

    fn found(&self) -> Vec<Result<FarFound, Missing>> {
        let schema = self.at.space.schema();
        let entries = self.entries.iter();
        entries
            .map(|entry| entry.usable(schema, &self.barriers))
            .collect()
    }

    fn answer(&self, at: usize, found: Result<FarFound, Missing>) -> Read {
        let entry = &self.entries[at];
        let bare = matches!(&entry.content, Content::Container(bytes, _) if bytes.len() == 16);
        Read {
            missing: found.as_ref().err().copied().unwrap_or_default(),
            found: found.ok(),
            ticket: self.ticket(entry),
            held: bare && !self.made.get(at).is_some_and(|made| *made),
        }
    }

    /// The tokens of a load of this entry, if all are in place.
    fn ticket(&self, entry: &Entry) -> Option<FarTicket> {
        self.tokens(entry).map(|tokens| tokens.encode())
    }

    fn tokens(&self, entry: &Entry) -> Option<Ticket> {
        let tag = |tag: &u64| Some((*tag, self.barriers.token(Barrier::Tag(*tag))?));
        Some(Ticket {
            entry: entry.container()?.token(),
            clear: self.barriers.token(Barrier::Clear)?,
            any: self.barriers.token(Barrier::Any)?,
            tags: self.tags.iter().map(tag).collect::<Option<_>>()?,
        })
    }

    pub(super) fn set_made(&mut self, at: usize) {
        self.made.resize(self.names.len(), false);
        self.made[at] = true;
    }

    /// Whether a load of this entry would get a ticket.
    pub(super) fn has_ticket(&self, entry: &Entry) -> bool {
        self.tokens(entry).is_some()
    }
}

/// The digests of tags, each once, in their order.
pub(super) fn digests(tags: &[&str]) -> Vec<u64> {
    let mut digests = Vec::with_capacity(tags.len());
    for tag in tags {
        let digest = larder_core::digest(tag.as_bytes());
        if !digests.contains(&digest) {
            digests.push(digest);
        }
    }
    digests
}

fn pttl(name: &Bytes) -> Request {
    Request::command("PTTL", vec![name.clone()])
}

fn look(name: &Bytes) -> Request {
    Request::script(&LOOK, vec![name.clone()], Vec::new())
}

fn looked(replies: &mut Replies) -> Result<(i64, Value), FarError> {
    let mut both = replies.maybe_array()?.unwrap_or_default().into_iter();
    let (Some(pttl), Some(value), None) = (both.next(), both.next(), both.next()) else {
        return Err(replies::out_of_step());
    };
    Ok((replies::int(&pttl)?, replies::value(value)?))
}

/// The request that makes a token where there is none.
pub(super) fn set_missing(name: Bytes, token: Bytes, life: Bytes) -> Request {
    let condition = [args::word("PX"), life, args::word("NX")];
    let args = [name, token].into_iter().chain(condition);
    Request::command("SET", args.collect())
}
