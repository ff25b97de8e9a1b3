//! The numbers of a cache's messages, as far as they are known.

use larder_core::Moment;

/// The numbers of a cache's messages, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// That of the last message in order; `None` until a heartbeat said one.
    pub(super) last: Option<u64>,
    /// What the last heartbeat said; to be reached by the next.
    pub(super) due: Option<Due>,
}

/// What a heartbeat said.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due {
    pub(super) number: u64,
    pub(super) sent: Moment,
}

impl Numbers {
    /// The last heartbeat, if all messages that it knew of have come.
    pub(super) fn reached(&self) -> Option<Due> {
        let (due, last) = self.due.zip(self.last)?;
        is_up_to(due.number, last).then_some(due)
    }
}

/// Numbers this far behind are late or doubled messages; others are another count's.
const WINDOW: u64 = 1 << 32;

/// Whether `number` is `last` or one before it, in a count that wraps.
pub(super) fn is_up_to(number: u64, last: u64) -> bool {
    last.wrapping_sub(number) < WINDOW
}
