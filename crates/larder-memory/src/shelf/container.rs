//! What is kept under an entry's name.

use bytes::Bytes;
use larder_core::{Moment, guard};

use super::name::Barrier;
use super::token::Token;

/// An entry: a token, and at most two values of different shapes.
#[derive(Debug, Clone)]
pub(super) struct Container {
    pub(super) token: Token,
    /// The oldest first.
    parts: Vec<Part>,
}

/// A value of one shape.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) schema: u64,
    pub(super) ends: Moment,
    /// What it was loaded under: it is dead once one of them is not in place.
    pub(super) barriers: Vec<(Barrier, Token)>,
    /// Whether it serves as fallback only.
    pub(super) expired: bool,
    pub(super) frame: Bytes,
}

impl Container {
    /// One without values: its maker is loading.
    pub(super) const fn new(token: Token) -> Self {
        let parts = Vec::new();
        Self { token, parts }
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub(super) fn part(&self, schema: u64) -> Option<&Part> {
        self.parts.iter().find(|part| part.schema == schema)
    }

    /// Adds a value in the place of that of its shape; of three the oldest falls.
    pub(super) fn add(&mut self, part: Part) {
        self.parts.retain(|other| other.schema != part.schema);
        self.parts.push(part);
        if self.parts.len() > MOST_PARTS {
            self.parts.remove(0);
        }
    }

    /// Marks all values and changes the token, so that no running load counts as newer.
    pub(super) fn expire(&mut self, token: Token) {
        self.token = token;
        for part in &mut self.parts {
            part.expired = guard!(ExpireMarks, true, false);
        }
    }

    /// When the last value ends.
    pub(super) fn ends(&self) -> Option<Moment> {
        self.parts.iter().map(|part| part.ends).max()
    }

    /// About what it takes in bytes.
    pub(super) fn size(&self) -> usize {
        let parts = self.parts.iter().map(|part| {
            let barriers = part.barriers.len() * size_of::<(Barrier, Token)>();
            size_of::<Part>() + barriers + part.frame.len()
        });
        Token::SIZE + parts.sum::<usize>()
    }
}

/// Two versions of a program run side by side while one replaces the other; a third does not.
const MOST_PARTS: usize = 2;
