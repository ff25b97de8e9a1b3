//! Monotonic time: the clock and its moments.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A point in monotonic time, in nanoseconds since an origin of the clock's own.
///
/// Moments of different clocks do not compare. Sums saturate: `Moment::MAX` is never reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// Later than every moment a clock gives: the end of what does not end.
    pub const MAX: Self = Self(u64::MAX);

    /// The moment `nanos` nanoseconds after the clock's origin.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the clock's origin.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// This moment moved later by `by`, at most [`Moment::MAX`].
    #[must_use]
    pub fn after(self, by: Duration) -> Self {
        Self(self.0.saturating_add(nanos(by)))
    }

    /// This moment moved earlier by `by`, at least the origin.
    #[must_use]
    pub fn before(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(nanos(by)))
    }

    /// How much later this moment is than `earlier`; zero if it is not later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Saturates at about 584 years.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Where moments come from: the machine's monotonic clock or one moved by hand.
///
/// A cache asks its runtime for the clock once, when it is built, so that a hit makes no virtual
/// call. Reading the coarse clock costs 3 to 5 ns.
#[derive(Debug, Clone)]
pub struct Clock(Source);

#[derive(Debug, Clone)]
enum Source {
    #[cfg(target_os = "linux")]
    Coarse {
        step: Duration,
    },
    #[cfg(not(target_os = "linux"))]
    Instant(std::time::Instant),
    Manual(Arc<AtomicU64>),
}

impl Clock {
    /// The machine's monotonic clock: `CLOCK_MONOTONIC_COARSE` on Linux, `Instant` elsewhere.
    #[must_use]
    pub fn monotonic() -> Self {
        #[cfg(target_os = "linux")]
        {
            let step = rustix::time::clock_getres(rustix::time::ClockId::MonotonicCoarse);
            Self(Source::Coarse {
                step: from_timespec(step),
            })
        }
        #[cfg(not(target_os = "linux"))]
        #[expect(clippy::disallowed_methods, reason = "this is the clock")]
        Self(Source::Instant(std::time::Instant::now()))
    }

    /// The moment now, at most one [`step`](Self::step) in the past.
    #[inline]
    #[must_use]
    pub fn now(&self) -> Moment {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Source::Coarse { .. } => {
                let now = rustix::time::clock_gettime(rustix::time::ClockId::MonotonicCoarse);
                Moment((now.tv_sec as u64) * 1_000_000_000 + now.tv_nsec as u64)
            }
            #[cfg(not(target_os = "linux"))]
            Source::Instant(origin) => Moment(nanos(origin.elapsed())),
            Source::Manual(nanos) => Moment(nanos.load(Ordering::Acquire)),
        }
    }

    /// How far [`now`](Self::now) may lie in the past: 4 ms on common Linux kernels, zero for a
    /// clock moved by hand. An entry counts as expired one step early.
    #[must_use]
    pub fn step(&self) -> Duration {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Source::Coarse { step } => *step,
            #[cfg(not(target_os = "linux"))]
            Source::Instant(_) => Duration::ZERO,
            Source::Manual(_) => Duration::ZERO,
        }
    }
}

#[cfg(target_os = "linux")]
fn from_timespec(time: rustix::time::Timespec) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The hand that moves a [`Clock`]; clones move the same clock.
///
/// ```
/// use std::time::Duration;
/// let hand = larder_core::ManualClock::new();
/// let clock = hand.clock();
/// let start = clock.now();
/// hand.advance(Duration::from_secs(3));
/// assert_eq!(clock.now().since(start), Duration::from_secs(3));
/// ```
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// A clock that stands still, one hour after its origin (so that "before" has room).
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(AtomicU64::new(nanos(Duration::from_secs(3600)))))
    }

    /// A clock that shows what this hand sets.
    #[must_use]
    pub fn clock(&self) -> Clock {
        Clock(Source::Manual(Arc::clone(&self.0)))
    }

    /// Moves the clock forward, never as far as [`Moment::MAX`], and says where it stands then.
    pub fn advance(&self, by: Duration) -> Moment {
        let later = |now: u64| now.saturating_add(nanos(by)).min(u64::MAX - 1);
        let update = |now| Some(later(now));
        let before = self
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, update);
        // Never `Err`: the update always gives a moment.
        before.map_or_else(Moment, |before| Moment(later(before)))
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_saturate() {
        assert_eq!(Moment::MAX.after(Duration::MAX), Moment::MAX);
        assert_eq!(Moment::from_nanos(5).after(Duration::MAX), Moment::MAX);
        assert_eq!(
            Moment::from_nanos(5).before(Duration::MAX),
            Moment::from_nanos(0)
        );
        assert_eq!(
            Moment::from_nanos(5).since(Moment::from_nanos(9)),
            Duration::ZERO
        );
    }

    #[test]
    fn a_hand_saturates_below_the_last_moment_and_never_turns_back() {
        let hand = ManualClock::new();
        let clock = hand.clock();
        let far = hand.advance(Duration::MAX);
        assert!(far < Moment::MAX);
        assert_eq!(hand.advance(Duration::from_secs(1)), far);
        assert_eq!(clock.now(), far);
    }

    #[test]
    fn the_machine_clock_never_goes_back_and_has_a_small_step() {
        let clock = Clock::monotonic();
        let first = clock.now();
        assert!(clock.now() >= first);
        assert!(clock.step() <= Duration::from_millis(10));
    }
}
