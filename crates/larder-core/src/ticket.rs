//! The ticket of a load.

use crate::Moment;

/// What a load holds from its start, so that its result can be refused.
///
/// It is the moment before the load read anything, on two scales: the cache's own clock, which
/// every invalidation moves, and monotonic time. Whatever was invalidated at a later clock is newer
/// than the value that carries this ticket. The mechanism is described in `docs/invalidation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "two scales, and no third")]
pub struct Ticket {
    /// The cache's clock when the ticket was taken.
    pub clock: u64,
    /// When the ticket was taken.
    pub at: Moment,
}
