//! How long a node may do without a sign of the others.

use std::time::Duration;

use larder_core::Moment;
use larder_core::sync::atomic::{AtomicU64, Ordering};

/// How long a value may be used without a sign of the other nodes.
///
/// Checked at every use, by the clock of the use, so that a process that was paused goes silent by
/// itself.
#[derive(Debug)]
pub(crate) struct Sight {
    /// When the last good heartbeat was sent, in the clock's nanoseconds. Good is one whose number
    /// was reached: all messages before it have come.
    heartbeat: AtomicU64,
    blind: Duration,
}

impl Sight {
    pub(crate) fn new(blind: Duration) -> Self {
        Self {
            heartbeat: AtomicU64::new(0),
            blind,
        }
    }

    /// Whether what was loaded under a ticket taken at `taken` may be used `now`.
    #[inline]
    pub(crate) fn sees(&self, taken: Moment, now: Moment) -> bool {
        let heartbeat = Moment::from_nanos(self.heartbeat.load(Ordering::Acquire));
        now <= taken.max(heartbeat).after(self.blind)
    }

    /// Whether the last good heartbeat is longer ago than the blind ttl.
    pub(crate) fn is_blind(&self, now: Moment) -> bool {
        let heartbeat = Moment::from_nanos(self.heartbeat.load(Ordering::Acquire));
        now > heartbeat.after(self.blind)
    }

    /// Until when what was loaded under a ticket taken at `taken` may be used without any sign.
    pub(crate) fn ends(&self, taken: Moment) -> Moment {
        taken.after(self.blind)
    }

    pub(super) fn beat(&self, sent: Moment) {
        self.heartbeat.fetch_max(sent.as_nanos(), Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sight_ends_by_the_clock_of_the_use() {
        let sight = Sight::new(Duration::from_secs(5));
        let taken = Moment::from_nanos(0).after(Duration::from_secs(100));
        assert!(sight.sees(taken, taken.after(Duration::from_secs(5))));
        let late = taken.after(Duration::from_secs(6));
        assert!(!sight.sees(taken, late));
        sight.beat(late);
        assert!(sight.sees(taken, late.after(Duration::from_secs(5))));
    }
}
