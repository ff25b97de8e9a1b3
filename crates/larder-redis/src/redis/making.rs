//! Making the tokens that a load misses, before its source is read.

use bytes::Bytes;
use larder_core::container::{Container, Token};
use larder_core::far::FarError;

use super::reading::{Reading, set_missing};
use super::seen::Content;
use crate::args;
use crate::names::Barrier;
use crate::replies::{Replies, Set, Value};
use crate::scripts::OPEN;
use crate::wire::{Reply, Request};

/// What a load misses, with the token for each: entries by their place.
#[derive(Default)]
struct Missing {
    barriers: Vec<(Barrier, Token)>,
    entries: Vec<(usize, Token)>,
    /// Entries that hold what nobody can use any more.
    spent: Vec<(usize, Token)>,
}

impl Reading<'_> {
    /// One more trip, if anything is missing. What the server does not take stays missing, and with
    /// it the ticket.
    pub(super) async fn make(&mut self) -> Result<(), FarError> {
        let missing = self.missing();
        if !missing.is_nothing() {
            self.announce(missing.entries.iter().chain(&missing.spent));
            let mut replies = self.at.redis.ask(self.requests(&missing)).await?;
            let odd = self.take(&missing, &mut replies)?;
            self.mend(odd).await?;
        }
        let entries = self.entries.iter();
        for _ in entries.filter(|entry| !self.has_ticket(entry)) {
            self.at.redis.0.counters.without_ticket();
        }
        Ok(())
    }

    /// Says what is about to be made.
    fn announce<'t>(&self, tokens: impl Iterator<Item = &'t (usize, Token)>) {
        if let Some(watch) = self.at.watch {
            tokens.for_each(|(at, token)| watch.own().makes(watch.key(&self.names[*at]), *token));
        }
    }

    /// Says that it was not.
    fn made_nothing(&self, at: usize) {
        if let Some(watch) = self.at.watch {
            watch.own().wrote_nothing(watch.key(&self.names[at]));
        }
    }

    fn missing(&self) -> Missing {
        if self.names.is_empty() {
            return Missing::default();
        }
        let redis = self.at.redis;
        let lacks = |barrier: &Barrier| self.barriers.token(*barrier).is_none();
        let barriers = self.shared().filter(lacks);
        let entries = || self.entries.iter().enumerate();
        let empty = entries().filter(|(_, entry)| matches!(entry.content, Content::Missing));
        let spent = entries().filter(|(_, entry)| entry.is_spent(&self.barriers));
        Missing {
            barriers: barriers.map(|barrier| (barrier, redis.token())).collect(),
            entries: empty.map(|(at, _)| (at, redis.token())).collect(),
            spent: spent.map(|(at, _)| (at, redis.token())).collect(),
        }
    }

    /// All that make, then all that look at what is there now.
    fn requests(&self, missing: &Missing) -> Vec<Request> {
        let space = self.at.space;
        let [shared, own] = [space.barrier(), space.load()].map(args::some_millis);
        let barriers = missing.barriers.iter().map(|(barrier, token)| {
            let name = self.at.names.barrier(*barrier);
            set_missing(name, args::token(*token), shared.clone())
        });
        let entries = missing.entries.iter().map(|(at, token)| {
            let name = self.names[*at].clone();
            set_missing(name, args::token(*token), own.clone())
        });
        let names: Vec<_> = missing
            .entries
            .iter()
            .map(|(at, _)| self.names[*at].clone())
            .collect();
        let asked: Vec<_> = missing
            .barriers
            .iter()
            .map(|(barrier, _)| *barrier)
            .collect();
        let spent = missing
            .spent
            .iter()
            .map(|(at, token)| self.open(*at, self.entries[*at].head(), *token));
        let mut batch: Vec<_> = barriers.chain(entries).collect();
        self.at.get(&names, &asked, &mut batch);
        batch.extend(spent);
        batch
    }

    fn open(&self, at: usize, head: Bytes, token: Token) -> Request {
        let life = args::some_millis(self.at.space.load());
        let args = vec![head, args::token(token), life];
        Request::script(&OPEN, vec![self.names[at].clone()], args)
    }

    /// Takes in what came of it; what is left is of a foreign type.
    fn take(&mut self, missing: &Missing, replies: &mut Replies) -> Result<Odd, FarError> {
        let count = missing.barriers.len() + missing.entries.len();
        let sets: Vec<_> = (0..count)
            .map(|_| replies.set())
            .collect::<Result<_, _>>()?;
        let (shared, own) = sets.split_at(missing.barriers.len());
        let mut values = self.at.got(own.len(), shared.len(), replies)?;
        let mut odd = Odd::default();
        let entries = missing.entries.iter().zip(own);
        for ((&(at, token), set), value) in entries.zip(values.by_ref()) {
            match (set, value) {
                (Set::Done, _) => self.made(at, token),
                (Set::Kept, value) => {
                    self.made_nothing(at);
                    let found = self.meet(at, value);
                    odd.entries.extend((!found).then_some((at, token)));
                }
                (Set::Refused, _) => self.made_nothing(at),
            }
        }
        let barriers = missing.barriers.iter().zip(shared);
        for ((&(barrier, token), set), value) in barriers.zip(values) {
            match set {
                Set::Done => self.barriers.set(barrier, Some(token)),
                Set::Kept | Set::Refused => self.barriers.put(barrier, &value),
            }
            if *set == Set::Kept && self.barriers.token(barrier).is_none() {
                odd.barriers.push(barrier);
            }
        }
        for &(at, _) in &missing.spent {
            self.opened(at, &replies.next()?);
        }
        Ok(odd)
    }

    /// Puts tokens in the place of what is of a foreign type, which shows only once none can be made:
    /// to be told of many keys is to be told of nothing where there is such a one.
    async fn mend(&mut self, odd: Odd) -> Result<(), FarError> {
        let entries = odd.entries.iter();
        let mut batch: Vec<_> = entries
            .map(|(at, token)| self.open(*at, Bytes::new(), *token))
            .collect();
        let barriers = odd
            .barriers
            .iter()
            .map(|barrier| self.at.names.barrier(*barrier));
        // The next load makes them. To delete one that somebody has made since only loses.
        batch.extend(barriers.map(|name| Request::command("UNLINK", vec![name])));
        if batch.is_empty() {
            return Ok(());
        }
        for _ in &batch {
            self.at.redis.0.counters.foreign();
        }
        self.announce(odd.entries.iter());
        let mut replies = self.at.redis.ask(batch).await?;
        for (at, _) in odd.entries {
            self.opened(at, &replies.next()?);
        }
        Ok(())
    }

    fn made(&mut self, at: usize, token: Token) {
        self.entries[at].opened(token);
        self.set_made(at);
    }

    /// Meets what another has made; whether there is such a thing.
    fn meet(&mut self, at: usize, value: Value) -> bool {
        let Value::Bytes(bytes) = value else {
            return false;
        };
        let Ok(container) = Container::parse(&bytes) else {
            return false;
        };
        if container.parts().next().is_some() {
            self.overtaken.push(at);
        }
        self.entries[at].content = Content::Container(bytes, container);
        true
    }

    /// Takes in what [`OPEN`] says. A refusal leaves nothing to load under.
    fn opened(&mut self, at: usize, reply: &Reply) {
        match opening(reply) {
            None => {
                self.made_nothing(at);
                self.entries[at].content = Content::Missing;
            }
            Some((token, opening)) => {
                self.entries[at].opened(token);
                if opening == Opening::Made {
                    self.set_made(at);
                } else {
                    self.made_nothing(at);
                }
                if opening == Opening::Stored {
                    self.overtaken.push(at);
                }
            }
        }
    }
}

/// Whose token is there now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    Made,
    /// Another's, who loads.
    Held,
    /// Another's, who has stored.
    Stored,
}

/// The token that is there now, and whose it is.
fn opening(reply: &Reply) -> Option<(Token, Opening)> {
    let Reply::Array(said) = reply else {
        return None;
    };
    let [Reply::Int(made), Reply::Bytes(token), Reply::Int(parts)] = &said[..] else {
        return None;
    };
    let token = <[u8; 16]>::try_from(&token[..]).ok()?;
    let opening = match (made, parts) {
        (1, _) => Opening::Made,
        (_, 1) => Opening::Stored,
        _ => Opening::Held,
    };
    Some((Token::new(token), opening))
}

impl Missing {
    fn is_nothing(&self) -> bool {
        self.barriers.is_empty() && self.entries.is_empty() && self.spent.is_empty()
    }
}

/// Keys under which no token could be made although none is there.
#[derive(Default)]
struct Odd {
    barriers: Vec<Barrier>,
    entries: Vec<(usize, Token)>,
}
