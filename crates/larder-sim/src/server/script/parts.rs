//! What lies behind the token of an entry, as core reads it.

use bytes::Bytes;
use larder_core::container::{Container, Part};

/// An entry's parts, the one stored last first.
pub(super) struct Entry {
    pub(super) token: [u8; 16],
    pub(super) parts: Vec<Part>,
}

impl Entry {
    /// Reads an entry; what cannot be read of its parts is left out.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let container = Container::parse(&Bytes::copy_from_slice(bytes)).ok()?;
        Some(Self {
            token: container.token().bytes(),
            parts: container.parts().cloned().collect(),
        })
    }

    /// The part alone, whose bytes are those behind a token.
    pub(super) fn part(bytes: &[u8]) -> Option<Part> {
        let entry = Self::read(&[&[0; 16], bytes].concat())?;
        entry.parts.into_iter().next()
    }
}

/// The bytes of a part that ends `earlier` milliseconds before its key, and is expired or not.
pub(super) fn write(part: &Part, earlier: u64, expired: bool) -> Vec<u8> {
    let barriers = part.barriers();
    let mut out = part.schema().to_le_bytes().to_vec();
    out.push(u8::from(expired));
    // A part that was read has one byte and four bytes for these.
    out.push(barriers.len() as u8);
    out.extend_from_slice(&earlier.to_le_bytes()[..6]);
    out.extend_from_slice(&(part.frame().len() as u32).to_le_bytes());
    for barrier in barriers.iter() {
        out.extend_from_slice(&barrier.name.to_le_bytes());
        out.extend_from_slice(&barrier.token);
    }
    out.extend_from_slice(part.frame());
    out
}

/// How many milliseconds before its key a part ends.
pub(super) fn earlier(part: &Part) -> u64 {
    // Six bytes at most.
    part.earlier().as_millis() as u64
}
