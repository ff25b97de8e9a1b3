//! What few entries have.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use larder_core::{LoadError, Moment};

/// What few entries have beside their end: moments of their own, or an error in the place of a
/// value. Shared by the clones of an entry.
pub struct Rare {
    fresh: Moment,
    until: Moment,
    due: AtomicU64,
    idle: Option<Idle>,
    error: Option<LoadError>,
    renewal: Option<Arc<Renewal>>,
}

/// What it takes to keep a result anew that its source calls unchanged.
#[derive(Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "made by the engine")]
pub struct Renewal {
    /// What the source knows the result by; empty if it said nothing.
    pub validator: Box<[u8]>,
    /// The names of the result's tags.
    pub tags: Vec<String>,
}

/// Says how much there is, and not what.
impl fmt::Debug for Renewal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Renewal");
        out.field("validator", &self.validator.len());
        out.field("tags", &self.tags.len()).finish()
    }
}

#[derive(Debug)]
struct Idle {
    most: Duration,
    used: AtomicU64,
}

impl Rare {
    /// Of an entry that is fresh before `fresh`, and a fallback before `until`.
    #[must_use]
    pub const fn new(fresh: Moment, until: Moment) -> Self {
        Self {
            fresh,
            until,
            due: AtomicU64::new(Moment::MAX.as_nanos()),
            idle: None,
            error: None,
            renewal: None,
        }
    }

    /// Sets when it is to be refreshed.
    #[must_use]
    pub fn due(self, at: Moment) -> Self {
        self.set_due(at);
        self
    }

    /// Lets it end when it was not used for so long, counted from `now`.
    #[must_use]
    pub fn idle(mut self, most: Duration, now: Moment) -> Self {
        let used = AtomicU64::new(now.as_nanos());
        self.idle = Some(Idle { most, used });
        self
    }

    /// Puts an error in the place of its value.
    #[must_use]
    pub fn error(mut self, error: LoadError) -> Self {
        self.error = Some(error);
        self
    }

    /// Keeps what it takes to keep it anew.
    #[must_use]
    pub fn renewal(mut self, renewal: Arc<Renewal>) -> Self {
        self.renewal = Some(renewal);
        self
    }

    /// What it takes to keep it anew, if that was kept.
    #[must_use]
    pub const fn renewed_by(&self) -> Option<&Arc<Renewal>> {
        self.renewal.as_ref()
    }

    /// From when on it is not fresh any more.
    #[must_use]
    pub const fn fresh_until(&self) -> Moment {
        self.fresh
    }

    /// From when on it is no fallback any more.
    #[must_use]
    pub const fn until(&self) -> Moment {
        self.until
    }

    /// When it is to be refreshed, or tried again; [`Moment::MAX`] if nothing says.
    #[must_use]
    pub fn due_at(&self) -> Moment {
        Moment::from_nanos(self.due.load(Ordering::Acquire))
    }

    /// Sets when it is to be refreshed, for all clones of the entry.
    pub fn set_due(&self, at: Moment) {
        self.due.store(at.as_nanos(), Ordering::Release);
    }

    /// Whether it was used lately enough at `now`.
    #[must_use]
    pub fn is_lively(&self, now: Moment) -> bool {
        self.idle.as_ref().is_none_or(|idle| idle.is_lively(now))
    }

    /// As [`is_lively`](Self::is_lively), and if so counts as a use.
    #[must_use]
    pub fn touch(&self, now: Moment) -> bool {
        let Some(idle) = &self.idle else {
            return true;
        };
        let lively = idle.is_lively(now);
        // Read first: threads that hit an entry in one step of the clock share its line.
        if lively && idle.used.load(Ordering::Relaxed) < now.as_nanos() {
            idle.used.fetch_max(now.as_nanos(), Ordering::Relaxed);
        }
        lively
    }

    /// How long it lives unused, and its last use.
    #[must_use]
    pub fn idle_since(&self) -> Option<(Duration, Moment)> {
        let idle = self.idle.as_ref()?;
        Some((idle.most, idle.used()))
    }

    /// The error in the place of a value.
    #[must_use]
    pub const fn failed(&self) -> Option<&LoadError> {
        self.error.as_ref()
    }
}

impl Idle {
    fn used(&self) -> Moment {
        Moment::from_nanos(self.used.load(Ordering::Relaxed))
    }

    fn is_lively(&self, now: Moment) -> bool {
        now < self.used().after(self.most)
    }
}

/// Says that there is an error, and not which: it is the user's and may hold what it likes.
impl fmt::Debug for Rare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Rare");
        out.field("fresh", &self.fresh).field("until", &self.until);
        out.field("due", &self.due_at()).field("idle", &self.idle);
        out.field("error", &self.error.is_some()).finish()
    }
}
