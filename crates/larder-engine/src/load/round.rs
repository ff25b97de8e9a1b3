//! What a call knows as it goes round.

use larder_core::{Moment, Ticket};

use crate::lifetime::Times;
use crate::near::Old;
use crate::outcome::Why;

/// What a call knows as it goes round: once for each load that it joins or leads.
pub(crate) struct Round<V> {
    pub(crate) call: Ticket,
    /// Why it cannot use what it joined.
    pub(crate) refused: Option<Why>,
    /// What the far tier had, past its time.
    pub(crate) old: Option<Old<V>>,
    /// Whether it may start a load and leave it.
    pub(crate) leaves: bool,
    /// Until when it waits where there is something old; `None` if it does not wait at all.
    pub(crate) soft: Option<Moment>,
}

impl<V> Round<V> {
    /// Of a call whose load may outlive it.
    pub(crate) fn new(call: Ticket, times: &Times) -> Self {
        Self {
            call,
            refused: None,
            old: None,
            leaves: true,
            soft: times.soft.map(|soft| call.at.after(soft)),
        }
    }

    /// Of a call that runs its load itself.
    pub(crate) fn here(call: Ticket) -> Self {
        Self {
            call,
            refused: None,
            old: None,
            leaves: false,
            soft: None,
        }
    }
}
