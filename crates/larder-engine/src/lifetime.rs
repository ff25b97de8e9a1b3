//! How long a result is kept.

use std::time::Duration;

use larder_core::{Moment, Ttl};

use crate::mode::Mode;

/// How long a result is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lifetime {
    Endless,
    For(Ttl),
    /// Returned, not stored.
    Not,
}

impl Lifetime {
    /// A duration given with a call: one that is no ttl means "do not store".
    fn of_call(duration: Duration) -> Self {
        Ttl::new(duration).map_or(Self::Not, Self::For)
    }

    /// The moment from which an entry stored `now` must not be used, by a clock that may lag by
    /// `step`; `None` if it is not to be stored.
    pub(crate) fn ends(self, now: Moment, step: Duration) -> Option<Moment> {
        match self {
            Self::Endless => Some(Moment::MAX),
            Self::For(ttl) => Some(now.after(ttl.duration()).before(step)),
            Self::Not => None,
        }
    }

    /// The duration; `None` if it is not stored, the longest there is if it is endless.
    pub(crate) fn duration(self) -> Option<Duration> {
        match self {
            Self::Endless => Some(Ttl::MAX.duration()),
            Self::For(ttl) => Some(ttl.duration()),
            Self::Not => None,
        }
    }

    /// The duration, if it has an end.
    pub(crate) fn finite(self) -> Option<Duration> {
        match self {
            Self::For(ttl) => Some(ttl.duration()),
            Self::Endless | Self::Not => None,
        }
    }

    /// The shorter of both.
    fn at_most(self, other: Self) -> Self {
        match (self, other) {
            (Self::Not, _) | (_, Self::Not) => Self::Not,
            (Self::Endless, other) | (other, Self::Endless) => other,
            (Self::For(one), Self::For(two)) => Self::For(one.min(two)),
        }
    }
}

/// What a call may set differently from its cache; `None` leaves the cache's setting.
#[derive(Debug, Clone, Default)]
#[expect(clippy::exhaustive_structs, reason = "written by the attributes")]
pub struct Terms {
    /// How long a loaded value is kept; under 10 ms it is returned and not stored.
    pub ttl: Option<Duration>,
    /// How long a loaded absence is kept, at most `ttl`; under 10 ms it is not stored.
    pub absent_ttl: Option<Duration>,
    /// How long the load may take.
    pub deadline: Option<Duration>,
    /// The value's tags, as far as they are known before it is loaded.
    pub tags: Vec<String>,
}

/// What a loaded value says of itself; `None` leaves what the call or the cache says.
#[derive(Debug, Clone, Default)]
#[expect(clippy::exhaustive_structs, reason = "written by the attributes")]
pub struct After {
    /// How long the value is kept; under 10 ms it is returned and not stored.
    pub ttl: Option<Duration>,
    /// The value's tags, in addition to those known before.
    pub tags: Vec<String>,
    /// True: the value is returned and not stored.
    pub unless: bool,
}

/// A cache's own settings of time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) value: Lifetime,
    pub(crate) absence: Lifetime,
    pub(crate) deadline: Duration,
}

impl Times {
    pub(crate) fn with(self, terms: &Terms) -> Self {
        let value = terms.ttl.map_or(self.value, Lifetime::of_call);
        let absence = terms.absent_ttl.map_or(self.absence, Lifetime::of_call);
        Self {
            value,
            absence: absence.at_most(value),
            deadline: terms.deadline.unwrap_or(self.deadline),
        }
    }

    pub(crate) fn after(self, after: &After) -> Self {
        let value = after.ttl.map_or(self.value, Lifetime::of_call);
        let value = if after.unless { Lifetime::Not } else { value };
        Self {
            value,
            absence: self.absence.at_most(value),
            ..self
        }
    }

    /// Of what is put under a mode: if nothing is kept, that is none.
    pub(crate) fn put<V>(&self, value: Option<&V>, mode: Mode) -> Lifetime {
        if mode.keeps() {
            self.of(value)
        } else {
            Lifetime::Not
        }
    }

    pub(crate) fn of<V>(&self, value: Option<&V>) -> Lifetime {
        if value.is_some() {
            self.value
        } else {
            self.absence
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn lasting(value: u64) -> Lifetime {
        Lifetime::For(Ttl::new(secs(value)).unwrap())
    }

    #[test]
    fn absence_never_outlives_values() {
        let times = Times {
            value: lasting(300),
            absence: lasting(10),
            deadline: secs(30),
        };
        let terms = Terms {
            ttl: Some(secs(5)),
            ..Terms::default()
        };
        assert_eq!(times.with(&terms).absence, lasting(5));
        assert_eq!(times.with(&Terms::default()).absence, lasting(10));
    }

    #[test]
    fn a_call_with_no_usable_ttl_does_not_store() {
        assert_eq!(Lifetime::of_call(Duration::ZERO), Lifetime::Not);
        assert_eq!(Lifetime::of_call(Duration::MAX), Lifetime::For(Ttl::MAX));
    }

    #[test]
    fn an_end_never_wraps_and_comes_one_step_early() {
        let now = Moment::from_nanos(u64::MAX - 5);
        assert!(lasting(1).ends(now, Duration::ZERO) == Some(Moment::MAX));
        let ends = lasting(1).ends(Moment::from_nanos(0), Duration::from_millis(4));
        assert_eq!(ends, Some(Moment::from_nanos(996_000_000)));
    }
}
