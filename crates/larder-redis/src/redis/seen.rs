//! What a read has seen so far.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use larder_core::container::{Container, Part, Token};
use larder_core::far::{FarFound, Missing};
use larder_core::guard;

use crate::names::Barrier;
use crate::replies::Value;

/// What lies under an entry's key.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Missing,
    /// Nothing of ours, and what its bytes are if it has any.
    Foreign(Bytes),
    Container(Bytes, Container),
}

/// An entry, as a read found it.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) content: Content,
    /// How long the key is kept, by the server; `None` while that is not known for what was read.
    pub(super) left: Option<Duration>,
}

/// The barriers that a read knows of: what is in place, and what is not.
#[derive(Debug, Default)]
pub(super) struct Barriers {
    clear: Option<Known>,
    any: Option<Known>,
    tags: BTreeMap<u64, Known>,
}

/// A token, if it is in place.
type Known = Option<Token>;

impl Entry {
    /// From what PTTL said before the value was read.
    pub(super) fn new(pttl: i64, value: Value) -> Self {
        let content = Content::new(value);
        let left = match &content {
            // Of two parts either may have been moved together with the key's end, between the two
            // answers; and a key that was not there has been made since.
            Content::Container(_, container) if pttl <= 0 || container.parts().count() > 1 => None,
            _ => u64::try_from(pttl).ok().map(Duration::from_millis),
        };
        // What has no end is nothing of ours.
        let content = if pttl == -1 {
            content.foreign()
        } else {
            content
        };
        Self { content, left }
    }

    /// From a time left and a value that were read in one step.
    pub(super) fn at_once(pttl: i64, value: Value) -> Self {
        let left = u64::try_from(pttl).unwrap_or(0);
        Self {
            left: Some(Duration::from_millis(left)),
            ..Self::new(pttl, value)
        }
    }

    /// Whether the time left has to be asked for, together with the value.
    pub(super) fn wants_look(&self, schema: u64) -> bool {
        self.left.is_none() && self.part(schema).is_some()
    }

    /// The answer to that: good for the value that was read already, or for none.
    pub(super) fn looked(&mut self, pttl: i64, value: &Value) {
        let Content::Container(bytes, _) = &self.content else {
            return;
        };
        let same = matches!(value, Value::Bytes(now) if now == bytes);
        let left = if same {
            u64::try_from(pttl).unwrap_or(0)
        } else {
            0
        };
        self.left = Some(Duration::from_millis(left));
    }

    pub(super) const fn container(&self) -> Option<&Container> {
        match &self.content {
            Content::Container(_, container) => Some(container),
            _ => None,
        }
    }

    pub(super) fn part(&self, schema: u64) -> Option<&Part> {
        self.container()?.part(schema)
    }

    /// The value of this schema, if it may be given out.
    pub(super) fn usable(&self, schema: u64, barriers: &Barriers) -> Result<FarFound, Missing> {
        let container = self.container().ok_or(Missing::Absent)?;
        let Some(part) = container.part(schema) else {
            let none = container.parts().next().is_none();
            return Err(if none {
                Missing::Absent
            } else {
                Missing::Schema
            });
        };
        if let Some(missing) = barriers.death(part) {
            return Err(missing);
        }
        let left = part.left(self.left.unwrap_or_default());
        if left.is_zero() {
            return Err(Missing::Absent);
        }
        Ok(FarFound {
            bytes: part.frame().clone(),
            left,
            expired: part.is_expired(),
        })
    }

    /// Whether its key holds bytes that no reader can ever use again: to be replaced by who loads.
    pub(super) fn is_spent(&self, barriers: &Barriers) -> bool {
        match &self.content {
            Content::Missing => false,
            Content::Foreign(_) => true,
            Content::Container(_, container) => {
                let mut parts = container.parts().peekable();
                if parts.peek().is_none() {
                    return container.broken().is_some();
                }
                parts.all(|part| barriers.death(part).is_some())
            }
        }
    }

    /// What is compared before it is replaced: everything up to the first frame, in which each store
    /// differs by its barriers. Nothing, if it is too short for a container.
    pub(super) fn head(&self) -> Bytes {
        let (bytes, barriers) = match &self.content {
            Content::Missing => return Bytes::new(),
            Content::Foreign(bytes) => (bytes, 0),
            Content::Container(bytes, container) => {
                let first = container.parts().next();
                (bytes, first.map_or(0, |part| part.barriers().len()))
            }
        };
        let short = bytes.len() < 16;
        let end = if short { 0 } else { 36 + 16 * barriers };
        bytes.slice(..bytes.len().min(end))
    }

    /// Whether there is anything that this version cannot read.
    pub(super) fn is_odd(&self) -> bool {
        match &self.content {
            Content::Missing => false,
            Content::Foreign(_) => true,
            Content::Container(_, container) => container.broken().is_some(),
        }
    }

    /// It is this token now, without parts.
    pub(super) fn opened(&mut self, token: Token) {
        let bytes = crate::args::token(token);
        self.content = Content::Container(bytes, Container::new(token));
    }
}

impl Content {
    fn new(value: Value) -> Self {
        match value {
            Value::None => Self::Missing,
            Value::Foreign => Self::Foreign(Bytes::new()),
            Value::Bytes(bytes) => match Container::parse(&bytes) {
                Ok(container) => Self::Container(bytes, container),
                Err(_) => Self::Foreign(bytes),
            },
        }
    }

    fn foreign(self) -> Self {
        match self {
            Self::Container(bytes, _) => Self::Foreign(bytes),
            content => content,
        }
    }
}

impl Barriers {
    pub(super) fn put(&mut self, barrier: Barrier, value: &Value) {
        let token = match value {
            Value::Bytes(bytes) => <[u8; 16]>::try_from(&bytes[..]).ok().map(Token::new),
            _ => None,
        };
        self.set(barrier, token);
    }

    pub(super) fn set(&mut self, barrier: Barrier, token: Option<Token>) {
        match barrier {
            Barrier::Clear => self.clear = Some(token),
            Barrier::Any => self.any = Some(token),
            Barrier::Tag(tag) => drop(self.tags.insert(tag, token)),
        }
    }

    pub(super) fn token(&self, barrier: Barrier) -> Option<Token> {
        self.known(barrier).flatten()
    }

    fn known(&self, barrier: Barrier) -> Option<Known> {
        match barrier {
            Barrier::Clear => self.clear,
            Barrier::Any => self.any,
            Barrier::Tag(tag) => self.tags.get(&tag).copied(),
        }
    }

    /// Those of a part that were not asked for yet.
    pub(super) fn unknown(&self, part: &Part) -> Vec<Barrier> {
        let listed = listed(part).map(|(barrier, _)| barrier);
        listed
            .filter(|barrier| self.known(*barrier).is_none())
            .collect()
    }

    /// Why a part may not be given out, if so, its time apart.
    pub(super) fn death(&self, part: &Part) -> Option<Missing> {
        let mut all = listed(part).peekable();
        // Every part of ours lists the cache's own barrier.
        if all.peek().is_none() {
            return Some(Missing::Cleared);
        }
        let lost = all.find(|(barrier, head)| {
            let token = self.token(*barrier);
            let dead = guard!(
                MissingIsDead,
                token.is_none_or(|token| token.head() != *head),
                token.is_some_and(|token| token.head() != *head)
            );
            guard!(BarrierAtRead, dead, false)
        });
        lost.map(|(barrier, _)| match barrier {
            Barrier::Tag(_) => Missing::Tag,
            Barrier::Clear | Barrier::Any => Missing::Cleared,
        })
    }
}

/// The barriers of a part: the cache's own first, then its tags.
fn listed(part: &Part) -> impl Iterator<Item = (Barrier, [u8; 8])> + '_ {
    part.barriers().iter().enumerate().map(|(at, barrier)| {
        let name = if at == 0 {
            Barrier::Clear
        } else {
            Barrier::Tag(barrier.name)
        };
        (name, barrier.token)
    })
}
