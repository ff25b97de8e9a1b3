//! Reading a frame.

use std::fmt;

use super::checksum::checksum;
use super::labels::{self, Tags};
use super::layout;
use super::{KeyDigest, Refusal, Subject};
use crate::{Schema, Times};

/// A frame, borrowed from its bytes.
///
/// What it says is sound: it has been compared with the checksum. Whether it is about the value that
/// was looked for is [`Subject::check`]'s to say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FrameRef<'a> {
    flags: u8,
    subject: Subject,
    times: Times,
    tags: Tags<'a>,
    validator: Option<&'a [u8]>,
    payload: &'a [u8],
}

/// What was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Kind {
    /// A value.
    Value,
    /// That there is none. Said outside the payload, so that no value looks like it.
    Absence,
}

impl<'a> FrameRef<'a> {
    /// Reads the frame that these bytes are, exactly. Allocates nothing and looks at each byte once
    /// for the checksum, at tags twice.
    ///
    /// # Errors
    /// [`Refusal`] says what is wrong, never more than that the bytes are none of ours, or damaged.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Refusal> {
        let (header, mut body) = sound(bytes)?;
        let flags = header[layout::FLAGS];
        if flags & !layout::KNOWN != 0 {
            return Err(Refusal::Flags);
        }
        let mut tags = Tags::default();
        if flags & layout::TAGGED != 0 {
            tags = labels::split_tags(&mut body)?;
        }
        let mut validator = None;
        if flags & layout::VALIDATED != 0 {
            validator = Some(labels::split(&mut body)?);
        }
        let plain = flags & layout::ENCRYPTED == 0;
        if flags & layout::ABSENCE != 0
            && (flags & layout::COMPRESSED != 0 || plain && !body.is_empty())
        {
            return Err(Refusal::Kind);
        }
        Ok(Self {
            flags,
            subject: subject(header),
            times: Times::unpack(std::array::from_fn(|at| header[layout::TIMES.start + at])),
            tags,
            validator,
            payload: body,
        })
    }

    /// Value or absence.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self.flags & layout::ABSENCE {
            0 => Kind::Value,
            _ => Kind::Absence,
        }
    }

    /// What the frame is about.
    #[must_use]
    pub const fn subject(&self) -> Subject {
        self.subject
    }

    /// Whether the payload is compressed.
    #[must_use]
    pub const fn is_compressed(&self) -> bool {
        self.flags & layout::COMPRESSED != 0
    }

    /// Whether the payload is encrypted.
    #[must_use]
    pub const fn is_encrypted(&self) -> bool {
        self.flags & layout::ENCRYPTED != 0
    }

    /// The times.
    #[must_use]
    pub const fn times(&self) -> Times {
        self.times
    }

    /// The names of the tags, in the order of writing.
    #[must_use]
    pub const fn tags(&self) -> Tags<'a> {
        self.tags
    }

    /// What the source knows the value's version by, if it said.
    #[must_use]
    pub const fn validator(&self) -> Option<&'a [u8]> {
        self.validator
    }

    /// The encoded value; empty for an absence, unless that is encrypted. It lies in the bytes that were read, so `Bytes` can
    /// hand it on without a copy (`slice_ref`).
    #[must_use]
    pub const fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// Header and labels, in the bytes that were read.
    #[cfg(feature = "encrypt")]
    pub(crate) fn before_payload<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[..bytes.len() - layout::CHECKSUM - self.payload.len()]
    }
}

/// Header and body of bytes that are a frame of this version, whole and undamaged.
fn sound(bytes: &[u8]) -> Result<(&[u8; layout::HEADER], &[u8]), Refusal> {
    let first = bytes.first().ok_or(Refusal::Truncated)?;
    if first & layout::MAGIC_MASK != layout::MAGIC {
        return Err(Refusal::Magic);
    }
    if *first != layout::FIRST {
        return Err(Refusal::Version);
    }
    let (header, rest) = bytes.split_first_chunk().ok_or(Refusal::Truncated)?;
    let (body, sum) = rest.split_last_chunk().ok_or(Refusal::Truncated)?;
    let length = u32::from_le_bytes(four(header, layout::LENGTH));
    match u64::from(length).cmp(&(body.len() as u64)) {
        std::cmp::Ordering::Greater => return Err(Refusal::Truncated),
        std::cmp::Ordering::Less => return Err(Refusal::Trailing),
        std::cmp::Ordering::Equal => {}
    }
    let summed = &bytes[..bytes.len() - layout::CHECKSUM];
    if u32::from_le_bytes(*sum) != checksum(summed) {
        return Err(Refusal::Checksum);
    }
    Ok((header, body))
}

fn subject(header: &[u8; layout::HEADER]) -> Subject {
    let eight = |from: usize| u64::from_le_bytes(std::array::from_fn(|at| header[from + at]));
    Subject {
        key: KeyDigest::from_bits(eight(layout::KEY)),
        schema: Schema::from_bits(eight(layout::SCHEMA)),
        codec: header[layout::CODEC],
    }
}

fn four(header: &[u8; layout::HEADER], from: usize) -> [u8; 4] {
    std::array::from_fn(|at| header[from + at])
}

/// Values are not for logs, so of what came from the user only the size is shown.
impl fmt::Debug for FrameRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameRef")
            .field("kind", &self.kind())
            .field("subject", &self.subject)
            .field("times", &self.times)
            .field("tags", &self.tags)
            .field("validator", &self.validator.map(<[u8]>::len))
            .field("payload", &self.payload.len())
            .finish_non_exhaustive()
    }
}
