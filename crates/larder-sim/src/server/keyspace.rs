//! Names with what is kept under them.

use std::collections::BTreeMap;

use bytes::Bytes;

/// Names with what is kept under them, in the order of the names: the same run meets the same order.
///
/// Times are milliseconds of the server's own clock. A key past its end is gone for whoever asks,
/// whenever its memory is given back.
#[derive(Debug, Clone, Default)]
pub(super) struct Keyspace(BTreeMap<Bytes, Kept>);

/// What is kept under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) data: Data,
    /// The last millisecond at which it can be read.
    pub(super) ends: Option<u64>,
}

/// What a name can stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Data {
    Text(Bytes),
    /// Another type, which some other program made.
    Foreign,
}

impl Kept {
    fn is_over(&self, now: u64) -> bool {
        self.ends.is_some_and(|ends| now > ends)
    }

    /// How long it is kept, in milliseconds.
    pub(super) fn left(&self, now: u64) -> Option<u64> {
        self.ends.map(|ends| ends.saturating_sub(now))
    }
}

impl Keyspace {
    pub(super) fn find(&self, name: &[u8], now: u64) -> Option<&Kept> {
        self.0.get(name).filter(|kept| !kept.is_over(now))
    }

    /// Puts something in the place of what was there; `None` removes.
    pub(super) fn set(&mut self, name: &Bytes, kept: Option<Kept>) {
        match kept {
            Some(kept) => drop(self.0.insert(name.clone(), kept)),
            None => drop(self.0.remove(name)),
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// What can be read now.
    pub(super) fn alive(&self, now: u64) -> impl Iterator<Item = (&Bytes, &Kept)> {
        self.0.iter().filter(move |(_, kept)| !kept.is_over(now))
    }
}
