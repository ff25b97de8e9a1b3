//! What somebody wants to hear.

use bytes::Bytes;

/// What somebody wants to hear.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Topic {
    /// What is published on this channel.
    Channel(Bytes),
    /// Which keys are written whose names begin so.
    Prefix(Bytes),
}

impl Topic {
    pub(super) const fn channel(&self) -> Option<&Bytes> {
        match self {
            Self::Channel(name) => Some(name),
            Self::Prefix(_) => None,
        }
    }

    pub(super) const fn prefix(&self) -> Option<&Bytes> {
        match self {
            Self::Prefix(prefix) => Some(prefix),
            Self::Channel(_) => None,
        }
    }
}
