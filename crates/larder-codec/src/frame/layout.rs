//! Where what lies in a frame of version 1. `docs/src/reference/frame.md` says it for readers.

use std::ops::Range;

use crate::times;

/// The first byte: the magic in its high half, the version in the low one.
pub(super) const FIRST: u8 = MAGIC | VERSION;
pub(super) const MAGIC: u8 = 0xC0;
pub(super) const VERSION: u8 = 1;
pub(super) const MAGIC_MASK: u8 = 0xF0;

pub(super) const FLAGS: usize = 1;
pub(super) const CODEC: usize = 2;
pub(super) const SCHEMA: usize = 3;
pub(super) const KEY: usize = 11;
pub(super) const TIMES: Range<usize> = 19..19 + times::SIZE;
/// How many bytes there are between the header and the checksum.
pub(super) const LENGTH: usize = 28;
/// Bytes of the header; then follow the tags, the validator and the payload.
pub(super) const HEADER: usize = 32;
/// Bytes of the checksum over all before it, at the end.
pub(super) const CHECKSUM: usize = 4;

/// The payload is empty: what was loaded is that there is nothing.
pub(super) const ABSENCE: u8 = 1;
pub(super) const COMPRESSED: u8 = 1 << 1;
pub(super) const ENCRYPTED: u8 = 1 << 2;
/// A count of tags, and each with its length, follow the header.
pub(super) const TAGGED: u8 = 1 << 3;
/// A validator with its length follows the tags.
pub(super) const VALIDATED: u8 = 1 << 4;
pub(super) const KNOWN: u8 = ABSENCE | COMPRESSED | ENCRYPTED | TAGGED | VALIDATED;

const _: () = assert!(TIMES.end == LENGTH && LENGTH + 4 == HEADER && HEADER + CHECKSUM <= 36);
