//! What has happened.

use std::time::Duration;

use larder_core::far::FarTicket;

/// A load that has begun, and how it may end more than once.
#[derive(Clone)]
pub(super) struct Running {
    pub(super) cache: usize,
    pub(super) key: usize,
    pub(super) ticket: FarTicket,
    /// The moment before its source is read.
    pub(super) began: usize,
}

/// A value that was offered to the store.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) cache: usize,
    pub(super) key: usize,
    pub(super) schema: u64,
    pub(super) tags: Vec<&'static str>,
    /// The moment of its source.
    pub(super) born: usize,
    /// When its time is over.
    pub(super) ends: Duration,
}

/// Something that makes older values old.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blow {
    pub(super) cache: usize,
    pub(super) moment: usize,
    pub(super) what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Key(usize),
    Expired(usize),
    Tag(&'static str),
    All,
    /// Nothing is old for it, but a load may be refused.
    Released,
}

impl Blow {
    /// Whether the value must not be found any more.
    pub(super) fn kills(&self, value: &Value) -> bool {
        let names = match self.what {
            What::Key(key) => key == value.key,
            What::Tag(tag) => value.tags.contains(&tag),
            What::All => true,
            What::Expired(_) | What::Released => false,
        };
        names && self.follows(value)
    }

    /// Whether the value may only be a fallback.
    pub(super) fn expires(&self, value: &Value) -> bool {
        self.what == What::Expired(value.key) && self.follows(value)
    }

    fn follows(&self, value: &Value) -> bool {
        self.cache == value.cache && self.moment > value.born
    }
}
