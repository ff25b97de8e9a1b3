//! What happens in caches, as events.

use std::sync::Arc;

use larder_core::LoadErrorKind;

use crate::mode::Mode;
use crate::outcome::Outcome;

/// Something that happened in a cache: see [`Larder::events`](crate::Larder::events). It names no
/// key and shows no value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The cache's name.
    pub cache: Arc<str>,
    /// What happened.
    pub what: What,
}

/// What happened in a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// A call ended with an answer or an error.
    Answered(Outcome),
    /// A call of `get` ended and had found nothing.
    Missed,
    /// A call was dropped before it ended.
    Abandoned,
    /// A tier keeps the result of a load.
    Stored(Tier),
    /// A tier did not keep the result of a load, because an invalidation had come meanwhile.
    Refused(Tier),
    /// A tier did not keep a value, because it is too large, or cannot be encoded.
    Unfit(Tier),
    /// Nothing was kept for a key that is longer than the cache keeps.
    LongKey,
    /// A value was put.
    Put,
    /// A key was invalidated or expired, or a tag was invalidated.
    Invalidated,
    /// The whole cache was cleared.
    Cleared,
    /// Entries of the near tier gave way to others.
    #[non_exhaustive]
    Evicted {
        /// How many.
        entries: usize,
    },
    /// Expired entries of the near tier were dropped.
    #[non_exhaustive]
    Swept {
        /// How many.
        entries: usize,
    },
    /// A refresh in the background failed.
    #[non_exhaustive]
    RefreshFailed {
        /// How.
        kind: LoadErrorKind,
    },
    /// The cache was switched, by itself or with its larder. What it says is one of the switches: a
    /// cache is used as far as both allow.
    Switched(Mode),
    /// The far tier held bytes that are no value of their key.
    Undecodable,
    /// The far tier has failed so often that it is left alone for a moment.
    FarDown,
    /// The far tier answers again.
    FarUp,
    /// An invalidation waits for the far tier's answer; it is repeated until there is one.
    Queued,
    /// The far tier has acknowledged all invalidations that waited.
    Drained,
    /// A load waits for another node's load of its key.
    Waited,
    /// A load has waited for as long as the lease, and loads itself.
    Lapsed,
    /// The node has not heard of the others for so long that what it holds may be old.
    Blind,
    /// The node hears of the others again.
    Sighted,
}

/// A tier of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there are two")]
pub enum Tier {
    /// In the process.
    Near,
    /// In a store that nodes share.
    Far,
}

impl What {
    /// The event's name in logs: one of a fixed set. That of a call is `answered`, whatever its
    /// outcome.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Answered(_) => "answered",
            Self::Missed => "missed",
            Self::Abandoned => "abandoned",
            Self::Stored(_) => "stored",
            Self::Refused(_) => "refused",
            Self::Unfit(_) => "unfit",
            Self::LongKey => "long-key",
            Self::Put => "put",
            Self::Invalidated => "invalidated",
            Self::Cleared => "cleared",
            Self::Evicted { .. } => "evicted",
            Self::Swept { .. } => "swept",
            Self::RefreshFailed { .. } => "refresh-failed",
            Self::Switched(_) => "switched",
            Self::Undecodable => "undecodable",
            Self::FarDown => "far-down",
            Self::FarUp => "far-up",
            Self::Queued => "queued",
            Self::Drained => "drained",
            Self::Waited => "waited",
            Self::Lapsed => "lapsed",
            Self::Blind => "blind",
            Self::Sighted => "sighted",
        }
    }
}
