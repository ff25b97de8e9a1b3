//! How often a network does what.

use std::time::Duration;

use fastrand::Rng;

/// How often a network does what; by default it is quick and loses nothing.
///
/// A profile sets rates and the seed draws from them; a directed test leaves all off and places one
/// fault by [`Link::hold`](super::Link::hold) or [`Link::lose`](super::Link::lose).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "made by profiles, with what is off left out"
)]
pub struct Faults {
    /// The longest that a step takes: a request to the server, a reply back, a message.
    pub step: Duration,
    /// Batches that are refused at once, as if there were no connection.
    pub not_sent: OneIn,
    /// Requests that never reach the server, and those of the same batch behind them; no answer
    /// comes.
    pub lost_requests: OneIn,
    /// Batches that run and whose answer never comes.
    pub lost_replies: OneIn,
    /// Batches that run at any time up to [`late`](Self::late) later; no answer comes.
    pub late_requests: OneIn,
    /// The longest that a late request or a slow message is under way.
    pub late: Duration,
    /// Of the batches that get no answer those whose sender learns that the connection broke.
    pub told: OneIn,
    /// Messages that are lost, and nobody is told.
    pub lost_messages: OneIn,
    /// Messages that come twice, the second up to [`late`](Self::late) later.
    pub doubled_messages: OneIn,
    /// Messages that come up to [`late`](Self::late) later, behind younger ones.
    pub slow_messages: OneIn,
}

/// One in how many; zero is never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_structs, reason = "a number with a meaning")]
pub struct OneIn(pub u32);

impl OneIn {
    /// Whether it happens this time.
    pub(super) fn hits(self, random: &mut Rng) -> bool {
        self.0 > 0 && random.u32(..self.0) == 0
    }
}

/// Anything from nothing to `most`.
pub(super) fn up_to(most: Duration, random: &mut Rng) -> Duration {
    let most = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
    if most == 0 {
        return Duration::ZERO;
    }
    Duration::from_nanos(random.u64(..=most))
}
