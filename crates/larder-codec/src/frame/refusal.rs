//! Why a frame is not what was looked for.

use std::fmt;

use crate::DecodeError;

/// Why the bytes under a key are not the value that was looked for. Each is a miss; none is an error
/// of the caller. The set is closed, so that each reason can be a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// The first byte is none that a frame begins with.
    Magic,
    /// A frame of another version.
    Version,
    /// The bytes end before the frame does.
    Truncated,
    /// There are bytes behind the frame.
    Trailing,
    /// The checksum is another: a flipped bit, for one.
    Checksum,
    /// A flag that this version does not know.
    Flags,
    /// A length within the frame points out of it, or a tag is no text.
    Length,
    /// An absence with a payload that is not encrypted, or one that is compressed.
    Kind,
    /// The frame of another key.
    Key,
    /// The frame of another shape of value: one of another version of the program.
    Schema,
    /// Written by another codec; or compressed or encrypted where the reader does not know how, by a
    /// key that it does not hold, or not encrypted where it is to be.
    Codec,
    /// The seal does not hold: another key, another place, or a header that was changed.
    Seal,
    /// The payload is not what was compressed, or expands past the limit.
    Expansion,
    /// The payload is not the bytes of a value, though the frame is sound.
    Payload,
    /// The payload is longer than its value.
    Surplus,
    /// The payload is nested too deep.
    Depth,
    /// The payload says that it has more elements than it could hold.
    Elements,
}

impl Refusal {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Magic,
        Self::Version,
        Self::Truncated,
        Self::Trailing,
        Self::Checksum,
        Self::Flags,
        Self::Length,
        Self::Kind,
        Self::Key,
        Self::Schema,
        Self::Codec,
        Self::Seal,
        Self::Expansion,
        Self::Payload,
        Self::Surplus,
        Self::Depth,
        Self::Elements,
    ];

    /// Its name in metrics and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Magic => "magic",
            Self::Version => "version",
            Self::Truncated => "truncated",
            Self::Trailing => "trailing",
            Self::Checksum => "checksum",
            Self::Flags => "flags",
            Self::Length => "length",
            Self::Kind => "kind",
            Self::Key => "key",
            Self::Schema => "schema",
            Self::Codec => "codec",
            Self::Seal => "seal",
            Self::Expansion => "expansion",
            Self::Payload => "payload",
            Self::Surplus => "surplus",
            Self::Depth => "depth",
            Self::Elements => "elements",
        }
    }

    /// Whether the bytes are sound and only meant for somebody else: another version of the program
    /// or another setting. What is left is damage.
    #[must_use]
    pub const fn is_foreign(self) -> bool {
        matches!(self, Self::Version | Self::Schema | Self::Codec)
    }
}

impl From<DecodeError> for Refusal {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::Malformed => Self::Payload,
            DecodeError::Trailing => Self::Surplus,
            DecodeError::TooDeep => Self::Depth,
            DecodeError::TooMany => Self::Elements,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::error::Error for Refusal {}
