//! The value of one schema in a container.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use super::barrier::{Barrier, Barriers};
use super::layout;

/// The value of one schema in a container: a frame, which the container never looks into, and what a
/// store has to know about it.
#[derive(Clone, PartialEq, Eq)]
pub struct Part {
    schema: u64,
    expired: bool,
    /// Milliseconds, below 2⁴⁸.
    earlier: u64,
    barriers: Barriers,
    frame: Bytes,
}

/// Why a part was dropped when a container was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartError {
    /// The bytes end within it.
    Truncated,
    /// It has a flag that this version does not know.
    Flags,
    /// Its schema is that of the part before it.
    Twice,
    /// There are bytes behind the second part.
    Trailing,
}

/// A part cannot be kept: more than 255 barriers, or a frame of 4 GiB or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "its name says all")]
pub struct TooLarge;

impl Part {
    /// The most barriers that a part can list.
    pub const MOST_BARRIERS: usize = u8::MAX as usize;

    /// A fresh part. The bytes of the frame are taken as they are.
    ///
    /// # Errors
    /// There are more than [`MOST_BARRIERS`](Self::MOST_BARRIERS), or the frame is 4 GiB or longer.
    pub fn new(schema: u64, barriers: &[Barrier], frame: Bytes) -> Result<Self, TooLarge> {
        if barriers.len() > Self::MOST_BARRIERS || u32::try_from(frame.len()).is_err() {
            return Err(TooLarge);
        }
        Ok(Self {
            schema,
            expired: false,
            earlier: 0,
            barriers: barriers.iter().copied().collect(),
            frame,
        })
    }

    /// The digest of the schema of the value in the frame.
    #[must_use]
    pub const fn schema(&self) -> u64 {
        self.schema
    }

    /// Whether it serves as a fallback only.
    #[must_use]
    pub const fn is_expired(&self) -> bool {
        self.expired
    }

    /// How much earlier than its key it ends.
    #[must_use]
    pub const fn earlier(&self) -> Duration {
        Duration::from_millis(self.earlier)
    }

    /// How long it may still be used, where its key has `key` left; zero: not at all.
    #[must_use]
    pub const fn left(&self, key: Duration) -> Duration {
        key.saturating_sub(self.earlier())
    }

    /// The barriers that it was loaded under.
    #[must_use]
    pub const fn barriers(&self) -> &Barriers {
        &self.barriers
    }

    /// The frame.
    #[must_use]
    pub const fn frame(&self) -> &Bytes {
        &self.frame
    }

    /// Reads the part at the front of `bytes` and takes it off them: all of them, if it runs past
    /// their end.
    pub(super) fn split(bytes: &mut Bytes) -> Result<Self, PartError> {
        let all = std::mem::take(bytes);
        let head: &[u8; layout::PART] = all.first_chunk().ok_or(PartError::Truncated)?;
        let frame = layout::PART + usize::from(head[layout::COUNT]) * layout::BARRIER;
        let length = usize::try_from(number(&head[layout::LENGTH..]));
        let end = frame.checked_add(length.map_err(|_| PartError::Truncated)?);
        let end = end
            .filter(|end| *end <= all.len())
            .ok_or(PartError::Truncated)?;
        *bytes = all.slice(end..);
        if head[layout::FLAGS] & !layout::EXPIRED != 0 {
            return Err(PartError::Flags);
        }
        Ok(Self {
            schema: number(&head[..layout::FLAGS]),
            expired: head[layout::FLAGS] == layout::EXPIRED,
            earlier: number(&head[layout::EARLIER..layout::LENGTH]),
            barriers: Barriers::in_bytes(all.slice(layout::PART..frame)),
            frame: all.slice(frame..end),
        })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.schema.to_le_bytes());
        out.push(u8::from(self.expired) * layout::EXPIRED);
        // Whoever made the part has seen that both fit.
        out.push(self.barriers.len() as u8);
        out.extend_from_slice(&self.earlier.to_le_bytes()[..layout::LENGTH - layout::EARLIER]);
        out.extend_from_slice(&(self.frame.len() as u32).to_le_bytes());
        out.extend_from_slice(self.barriers.bytes());
        out.extend_from_slice(&self.frame);
    }

    pub(super) fn size(&self) -> usize {
        layout::PART + self.barriers.bytes().len() + self.frame.len()
    }

    pub(super) fn expire(&mut self) {
        self.expired = true;
    }

    /// The part with another distance between its end and its key's. Whole milliseconds, at most
    /// [`Ttl::MAX`](crate::Ttl::MAX), which fits in 48 bits.
    pub(super) fn ending(self, earlier: Duration) -> Self {
        let earlier = earlier.as_millis() as u64;
        Self { earlier, ..self }
    }
}

/// The little-endian number in at most eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Values are not for logs, so the frame's bytes are not shown.
impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("schema", &self.schema)
            .field("expired", &self.expired)
            .field("earlier", &self.earlier())
            .field("barriers", &self.barriers)
            .field("frame", &format_args!("{} bytes", self.frame.len()))
            .finish()
    }
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the bytes end within the part",
            Self::Flags => "the part has an unknown flag",
            Self::Twice => "two parts have the same schema",
            Self::Trailing => "there are bytes behind the second part",
        })
    }
}

impl std::error::Error for PartError {}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("more than 255 barriers, or a frame of 4 GiB or more")
    }
}

impl std::error::Error for TooLarge {}
