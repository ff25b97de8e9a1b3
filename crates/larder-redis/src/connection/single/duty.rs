//! Who sends what has come together.

use std::task::Context;

use super::lane::Lane;

/// The duty to send what has come together, if it is this task's: at its next turn, or when it is
/// dropped.
///
/// A task that is woken at once has its next turn after those that are ready already: they ask before
/// it sends. It needs no other thread, which would have to be woken for each batch.
pub(super) struct Duty<'a> {
    lane: &'a Lane,
    /// Of what it is the duty; `None` if there is none.
    round: Option<u64>,
    /// Whether its task has had a turn.
    waited: bool,
}

impl<'a> Duty<'a> {
    pub(super) const fn new(lane: &'a Lane, round: Option<u64>) -> Self {
        Self {
            lane,
            round,
            waited: false,
        }
    }

    /// To be called at each turn.
    pub(super) fn poll(&mut self, context: &Context<'_>) {
        if self.round.is_none() {
            return;
        }
        if self.waited {
            self.send();
        } else {
            self.waited = true;
            context.waker().wake_by_ref();
        }
    }

    fn send(&mut self) {
        if let Some(round) = self.round.take() {
            self.lane.send(round);
        }
    }
}

impl Drop for Duty<'_> {
    fn drop(&mut self) {
        self.send();
    }
}
