//! Why an answer is what it is.

use std::time::Duration;

use larder_core::LoadErrorKind;

/// Why an answer is what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The near tier held it.
    #[non_exhaustive]
    Near {
        /// How long ago its load began.
        age: Duration,
        /// How long it may still be used; `None` for an entry without end.
        left: Option<Duration>,
    },
    /// The far tier held it.
    #[non_exhaustive]
    Far {
        /// How long ago its load began, on whatever node.
        age: Duration,
        /// How long it may still be used.
        left: Duration,
    },
    /// It is past its time, and served because there is nothing newer yet.
    #[non_exhaustive]
    Stale {
        /// Why there is nothing newer.
        because: Stale,
        /// How long ago its load began.
        age: Duration,
        /// How long ago its time ended; zero if it was expired before that.
        past: Duration,
    },
    /// The load of another caller gave it.
    Joined,
    /// A load that this call started gave it.
    #[non_exhaustive]
    Loaded {
        /// Why a load was needed.
        why: Why,
        /// Whether the cache keeps the result.
        stored: bool,
    },
    /// A source that this call started gives it, element by element. Whether it will be stored is
    /// not known before its end.
    Streamed,
    /// There is no value: the load failed, for this call or for the one it joined.
    #[non_exhaustive]
    Failed {
        /// How.
        kind: LoadErrorKind,
    },
}

impl Outcome {
    pub(crate) const BYPASSED: Self = Self::Loaded {
        why: Why::Bypass,
        stored: false,
    };

    pub(crate) const fn is_loaded(&self) -> bool {
        matches!(self, Self::Loaded { .. })
    }

    /// Notes that a tier keeps what was loaded.
    pub(crate) fn set_stored(&mut self) {
        if let Self::Loaded { stored, .. } = self {
            *stored = true;
        }
    }

    /// The outcome's name: `near`, `far`, `joined`, `loaded`, `failed`, or that of [`Stale`].
    #[must_use]
    pub const fn detail(&self) -> &'static str {
        match self {
            Self::Near { .. } => "near",
            Self::Far { .. } => "far",
            Self::Stale { because, .. } => because.name(),
            Self::Joined => "joined",
            Self::Loaded { .. } => "loaded",
            Self::Streamed => "streamed",
            Self::Failed { .. } => "failed",
        }
    }
}

/// Why a call was given what is past its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stale {
    /// A load runs in the background, which nobody has to wait for.
    Refresh,
    /// The load failed, for this call or for one before it, and the source is left alone for a
    /// moment.
    Error,
    /// The load took longer than the soft deadline; it goes on.
    Soft,
    /// The load took longer than its deadline.
    Timeout,
    /// No load was started: too many are running, or the larder shuts down.
    Refused,
}

impl Stale {
    /// The reason's name in metrics, logs and headers: that of the outcome.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refresh => "stale-refresh",
            Self::Error => "stale-error",
            Self::Soft => "stale-soft",
            Self::Timeout => "stale-timeout",
            Self::Refused => "stale-refused",
        }
    }

    /// For a load that ended with this kind of error; `None` where the caller must see it.
    pub(crate) const fn of(kind: LoadErrorKind) -> Option<Self> {
        match kind {
            LoadErrorKind::Recursive | LoadErrorKind::WouldBlock => None,
            LoadErrorKind::TimedOut => Some(Self::Timeout),
            LoadErrorKind::Refused => Some(Self::Refused),
            _ => Some(Self::Error),
        }
    }
}

/// Why a load was needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Why {
    /// No tier holds the key: never loaded, evicted, or swept.
    Absent,
    /// The time of what is held has passed.
    Expired,
    /// The key was invalidated since what is held was loaded.
    Invalidated,
    /// The whole cache was cleared since what is held was loaded.
    Cleared,
    /// A tag of what is held was invalidated since it was loaded.
    Tag,
    /// What was found or joined began before an invalidation that the call came after.
    Refused,
    /// The load that the call had joined ran in the task of a caller that left.
    HandedOver,
    /// The node has not heard of the others for so long that what it holds may be old.
    Blind,
    /// The far tier did not answer in time, or is left alone for a moment because it did not.
    FarDown,
    /// The far tier has not acknowledged an invalidation of the key, so its answer is not used.
    Fenced,
    /// The far tier holds a value of another shape: another version of the program wrote it.
    Schema,
    /// The far tier holds bytes that are no value of this key.
    Corrupt,
    /// The cache holds absence, which the function's return type cannot say.
    AbsenceHeld,
    /// The call was not to look at what is held, but to load and keep that: see
    /// [`Mode::WriteOnly`](crate::Mode::WriteOnly).
    WriteOnly,
    /// The function ran past the cache: because of a [`Mode`](crate::Mode), or because so many loads
    /// were running that none might start and the function cannot say that.
    Bypass,
}

impl Why {
    /// The reason's name in metrics, logs and headers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Expired => "expired",
            Self::Invalidated => "invalidated",
            Self::Cleared => "cleared",
            Self::Tag => "tag",
            Self::Refused => "refused",
            Self::HandedOver => "handed-over",
            Self::Blind => "blind",
            Self::FarDown => "far-down",
            Self::Fenced => "fenced",
            Self::Schema => "schema",
            Self::Corrupt => "corrupt",
            Self::AbsenceHeld => "absence-held",
            Self::WriteOnly => "write-only",
            Self::Bypass => "bypass",
        }
    }
}

/// An answer together with why it is what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fetched<T> {
    /// The answer.
    pub value: T,
    /// Why it is what it is.
    pub outcome: Outcome,
}
