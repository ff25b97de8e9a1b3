//! What the store's keys are called.

use std::hash::Hash;

/// What is kept under a name. Each is a kind of its own, so that no text that a user chooses can
/// name a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// Bytes of the plain store.
    Plain(&'a [u8]),
    /// An entry of the guarded store.
    Entry(&'a [u8]),
    /// The token of a barrier.
    Barrier(Barrier),
    /// The number of the cache's last message.
    Number,
}

/// What kills many entries at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Barrier {
    /// Of all entries of the cache.
    Clear,
    /// Raised by every tag, for loads that learn a tag only from their value.
    Any,
    /// Of the entries with the tag of this digest.
    Tag(u64),
}

/// A key of the store, in one piece: the length of the cache's name, the name, the kind, and what
/// the kind adds. The length in front keeps `("a", "bc")` and `("ab", "c")` apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Name(Box<[u8]>);

impl Name {
    pub(super) fn new(cache: &str, kind: Kind<'_>) -> Self {
        let mut name = prefix(cache);
        match kind {
            Kind::Plain(key) => add(&mut name, 0, key),
            Kind::Entry(key) => add(&mut name, 1, key),
            Kind::Number => add(&mut name, 2, b""),
            Kind::Barrier(Barrier::Clear) => add(&mut name, 3, b""),
            Kind::Barrier(Barrier::Any) => add(&mut name, 4, b""),
            Kind::Barrier(Barrier::Tag(tag)) => add(&mut name, 5, &tag.to_be_bytes()),
        }
        Self(name.into())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is a name of the cache with this prefix.
    pub(super) fn is_of(&self, prefix: &[u8]) -> bool {
        self.0.starts_with(prefix)
    }
}

/// How all names of a cache begin, and no others.
pub(super) fn prefix(cache: &str) -> Vec<u8> {
    let mut prefix = (cache.len() as u64).to_be_bytes().to_vec();
    prefix.extend_from_slice(cache.as_bytes());
    prefix
}

fn add(name: &mut Vec<u8>, kind: u8, rest: &[u8]) {
    name.reserve_exact(1 + rest.len());
    name.push(kind);
    name.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_share_nothing() {
        let tag = 7_u64.to_be_bytes();
        let kinds = [
            Kind::Plain(b""),
            Kind::Plain(b"\x01"),
            Kind::Plain(&tag),
            Kind::Entry(b""),
            Kind::Entry(b"\x05"),
            Kind::Entry(&tag),
            Kind::Number,
            Kind::Barrier(Barrier::Clear),
            Kind::Barrier(Barrier::Any),
            Kind::Barrier(Barrier::Tag(7)),
        ];
        let caches = ["", "a", "a\u{0}", "a\u{1}", "ab", "a*", "a?"];
        let names: Vec<_> = caches
            .iter()
            .flat_map(|cache| kinds.map(|kind| (*cache, Name::new(cache, kind))))
            .collect();
        for (at, (cache, name)) in names.iter().enumerate() {
            assert!(names[..at].iter().all(|(_, other)| other != name));
            for other in caches {
                assert_eq!(name.is_of(&prefix(other)), *cache == other);
            }
        }
    }
}
