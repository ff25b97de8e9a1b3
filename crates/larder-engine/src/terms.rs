//! What a call, and the value that it loads, say of how a result is kept.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use larder_core::{LoadError, LoadErrorKind};

use crate::refresh::Refresh;

/// What a call may set differently from its cache; `None` leaves the cache's setting.
#[derive(Debug, Clone, Default)]
#[expect(clippy::exhaustive_structs, reason = "written by the attributes")]
pub struct Terms {
    /// How long a loaded value is kept; under 10 ms it is returned and not stored.
    pub ttl: Option<Duration>,
    /// How long a loaded absence is kept, at most `ttl`; under 10 ms it is not stored.
    pub absent_ttl: Option<Duration>,
    /// How long a result may be served after its end, while or because there is no newer one.
    pub stale: Option<Duration>,
    /// How old a result may be, whatever else is said.
    pub max_age: Option<Duration>,
    /// How long a result lives unused.
    pub idle: Option<Duration>,
    /// The part of a ttl that chance may take away, from 0 to 1.
    pub jitter: Option<f64>,
    /// When a result is refreshed before its end.
    pub refresh: Option<Refresh>,
    /// How long the load may take.
    pub deadline: Option<Duration>,
    /// How long a caller waits where there is an old result to be had.
    pub soft: Option<Duration>,
    /// How long an error is kept.
    pub error_ttl: Option<ErrorTtl>,
    /// The value's tags, as far as they are known before it is loaded.
    pub tags: Vec<String>,
}

/// What a loaded value says of itself; `None` leaves what the call or the cache says.
#[derive(Debug, Clone, Default)]
#[expect(clippy::exhaustive_structs, reason = "written by the attributes")]
pub struct After {
    /// How long the value is kept; under 10 ms it is returned and not stored.
    pub ttl: Option<Duration>,
    /// How long it may be served after its end.
    pub stale: Option<Duration>,
    /// The value's tags, in addition to those known before.
    pub tags: Vec<String>,
    /// True: the value is returned and not stored.
    pub unless: bool,
}

impl After {
    /// Both; where both say something, this counts.
    pub(crate) fn over(self, other: Self) -> Self {
        let mut tags = other.tags;
        tags.extend(self.tags);
        Self {
            ttl: self.ttl.or(other.ttl),
            stale: self.stale.or(other.stale),
            tags,
            unless: self.unless || other.unless,
        }
    }
}

/// How long an error is kept, by the error; `None`, or less than 10 ms, is not at all.
#[derive(Clone)]
pub struct ErrorTtl(Arc<ByError>);

type ByError = dyn Fn(&LoadError) -> Option<Duration> + Send + Sync;

impl ErrorTtl {
    /// The same for every error that the loaded function returns.
    #[must_use]
    pub fn of(ttl: Duration) -> Self {
        Self::by(move |error| (error.kind() == LoadErrorKind::Source).then_some(ttl))
    }

    /// As `ttl` says, also of a panic.
    #[must_use]
    pub fn by(ttl: impl Fn(&LoadError) -> Option<Duration> + Send + Sync + 'static) -> Self {
        Self(Arc::new(ttl))
    }

    pub(crate) fn ask(&self, error: &LoadError) -> Option<Duration> {
        (self.0)(error)
    }
}

impl fmt::Debug for ErrorTtl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErrorTtl")
    }
}
