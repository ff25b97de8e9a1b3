//! How long an entry may be used.

use std::fmt;
use std::time::Duration;

/// How long an entry may be used: at least 10 ms, at most 100 years.
///
/// ```
/// use std::time::Duration;
/// use larder_core::Ttl;
/// assert_eq!(Ttl::new(Duration::from_secs(5))?.duration(), Duration::from_secs(5));
/// assert_eq!(Ttl::new(Duration::MAX)?, Ttl::MAX);
/// assert!(Ttl::new(Duration::ZERO).is_err());
/// # Ok::<(), larder_core::TtlError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ttl(Duration);

impl Ttl {
    /// The shortest: the coarse clock moves in steps of about 4 ms, so less could not be kept.
    pub const MIN: Self = Self(Duration::from_millis(10));

    /// The longest, 100 years: longer durations are clamped to it, so that no sum overflows and
    /// every store can express it.
    pub const MAX: Self = Self(Duration::from_secs(100 * 365 * 24 * 3600));

    /// Takes a duration of at least 10 ms; one over 100 years becomes [`Ttl::MAX`].
    ///
    /// # Errors
    /// A zero duration, which others read as "for ever" or "not at all", or one under 10 ms.
    pub const fn new(duration: Duration) -> Result<Self, TtlError> {
        if duration.is_zero() {
            return Err(TtlError::Zero);
        }
        if duration.as_nanos() < Self::MIN.0.as_nanos() {
            return Err(TtlError::TooShort);
        }
        if duration.as_nanos() > Self::MAX.0.as_nanos() {
            return Ok(Self::MAX);
        }
        Ok(Self(duration))
    }

    /// The duration.
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl TryFrom<Duration> for Ttl {
    type Error = TtlError;

    fn try_from(duration: Duration) -> Result<Self, TtlError> {
        Self::new(duration)
    }
}

/// Why a duration is no ttl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TtlError {
    /// It is zero.
    Zero,
    /// It is under 10 ms.
    TooShort,
}

impl fmt::Display for TtlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zero => "must not be zero",
            Self::TooShort => "must be at least 10 ms",
        })
    }
}

impl std::error::Error for TtlError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_refused_or_clamped() {
        let new = |nanos| Ttl::new(Duration::from_nanos(nanos));
        assert_eq!(Ttl::new(Duration::ZERO), Err(TtlError::Zero));
        assert_eq!(new(1), Err(TtlError::TooShort));
        assert_eq!(new(9_999_999), Err(TtlError::TooShort));
        assert_eq!(new(10_000_000), Ok(Ttl::MIN));
        assert_eq!(Ttl::new(Ttl::MAX.duration() * 2), Ok(Ttl::MAX));
        assert_eq!(Ttl::new(Duration::MAX), Ok(Ttl::MAX));
    }
}
