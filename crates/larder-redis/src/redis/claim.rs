//! What is asked of the barriers before a value is stored.

use bytes::Bytes;
use larder_core::container::{self, Container, Token};
use larder_core::far::{FarError, FarTicket, Part};
use larder_core::{Ttl, digest, guard};

use super::At;
use super::reading::digests;
use crate::args;
use crate::names::Barrier;
use crate::ticket::Ticket;

/// What is asked of the barriers before a value is stored: first those that it will list.
pub(super) struct Claim {
    pub(super) entry: Token,
    asked: Vec<Asked>,
    listed: usize,
}

struct Asked {
    barrier: Barrier,
    mode: u8,
    token: Token,
}

/// The barrier must have this token.
const HOLDS: u8 = b'=';
/// The barrier's token is taken, or made.
const TAKE: u8 = b'+';
/// Whatever its token is, the barrier lives on.
const RENEW: u8 = b'.';

impl Claim {
    /// `None` if the ticket is of another store.
    pub(super) fn new(at: At<'_>, ticket: &FarTicket, part: &Part<'_>) -> Option<Self> {
        let ticket = Ticket::decode(ticket)?;
        let tags = digests(part.tags);
        let holds = guard!(BarrierAtStore, HOLDS, RENEW);
        let mut asked = vec![Asked::new(Barrier::Clear, holds, ticket.clear)];
        asked.extend(tags.iter().map(|tag| match ticket.tag(*tag) {
            Some(token) => Asked::new(Barrier::Tag(*tag), holds, token),
            None => Asked::new(Barrier::Tag(*tag), TAKE, at.redis.token()),
        }));
        let listed = asked.len();
        let others = ticket.tags.iter().filter(|(tag, _)| !tags.contains(tag));
        asked.extend(others.map(|(tag, token)| Asked::new(Barrier::Tag(*tag), holds, *token)));
        // The token of a tag that the load did not name is read after the source: no tag may have
        // been invalidated since, and that is looked at last.
        let learns = asked.iter().any(|asked| asked.mode == TAKE);
        let any = if guard!(AnyLast, learns, false) {
            HOLDS
        } else {
            RENEW
        };
        asked.push(Asked::new(Barrier::Any, any, ticket.any));
        Some(Self {
            entry: ticket.entry,
            asked,
            listed,
        })
    }

    /// Whether the part has to wait for what is said of the barriers: for tokens that only the server
    /// can tell, or for tags that may refuse it. It would take the place of a value without them,
    /// which lives; where the cache was cleared, nothing lives that it could harm, and it is born dead.
    pub(super) fn waits(&self) -> bool {
        let tagged = |asked: &Asked| matches!(asked.barrier, Barrier::Tag(_));
        guard!(BarriersFirst, self.asked.iter().any(tagged), self.learns())
    }

    #[cfg(larder_mutants)]
    fn learns(&self) -> bool {
        self.asked.iter().any(|asked| asked.mode == TAKE)
    }

    /// Takes in the tokens that the server told.
    pub(super) fn learn(&mut self, tokens: Vec<Token>) {
        for (asked, token) in self.asked.iter_mut().zip(tokens) {
            if asked.mode == TAKE {
                asked.token = token;
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.asked.len()
    }

    /// The keys of the barriers, in the order of [`args`](Self::args).
    pub(super) fn keys(&self, at: At<'_>) -> impl Iterator<Item = Bytes> {
        self.asked
            .iter()
            .map(move |asked| at.names.barrier(asked.barrier))
    }

    /// What is asked of each.
    pub(super) fn args(&self) -> impl Iterator<Item = Bytes> {
        self.asked
            .iter()
            .map(|asked| args::asked(asked.mode, asked.token))
    }

    /// The part's bytes, listing these barriers.
    pub(super) fn part(&self, schema: u64, frame: Bytes) -> Result<Bytes, FarError> {
        let listed = self.asked[..self.listed].iter().map(Asked::listed);
        let listed: Vec<_> = listed.collect();
        let part = container::Part::new(schema, &listed, frame).map_err(FarError::not_sent)?;
        let mut container = Container::new(self.entry);
        let _life = container.keep(part, Ttl::MAX, std::time::Duration::ZERO);
        Ok(container.to_bytes().slice(self.entry.bytes().len()..))
    }
}

impl Asked {
    const fn new(barrier: Barrier, mode: u8, token: Token) -> Self {
        Self {
            barrier,
            mode,
            token,
        }
    }

    fn listed(&self) -> container::Barrier {
        let name = match self.barrier {
            Barrier::Clear => digest(b":clear"),
            Barrier::Any => digest(b":any"),
            Barrier::Tag(digest) => digest,
        };
        container::Barrier {
            name,
            token: self.token.head(),
        }
    }
}
