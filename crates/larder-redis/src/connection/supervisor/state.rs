//! What a supervisor holds at a moment.

use std::sync::Arc;
use std::time::Duration;

use larder_core::Moment;

use crate::ConnectError;
use crate::connection::link::Link;
use crate::health::{MasterHealth, State};

/// What a supervisor holds at a moment.
pub(super) struct Held {
    pub(super) at: At,
    pub(super) since: Moment,
    pub(super) generation: u64,
    pub(super) reason: Option<ConnectError>,
    pub(super) closed: bool,
}

/// Where it is.
pub(super) enum At {
    Connecting,
    Connected(Arc<Link>),
    /// The next attempt comes then.
    Down(Moment),
}

/// What can be seen of it.
pub(in crate::connection) struct Look {
    pub(in crate::connection) state: State,
    pub(in crate::connection) since: Duration,
    pub(in crate::connection) reason: Option<ConnectError>,
    pub(in crate::connection) under_way: usize,
    pub(in crate::connection) masters: Vec<MasterHealth>,
}

impl Held {
    pub(super) const fn new(now: Moment) -> Self {
        Self {
            at: At::Connecting,
            since: now,
            generation: 0,
            reason: None,
            closed: false,
        }
    }

    /// Goes on to another state, or to a later moment of the same.
    pub(super) fn turn(&mut self, at: At, now: Moment) {
        if self.closed {
            return;
        }
        if std::mem::discriminant(&self.at) != std::mem::discriminant(&at) {
            self.since = now;
        }
        self.at = at;
    }

    /// How the first attempt ended, if it has.
    pub(super) fn first(&self) -> Option<Result<(), ConnectError>> {
        match &self.at {
            At::Connected(_) => Some(Ok(())),
            At::Connecting | At::Down(_) => self.reason.clone().map(Err),
        }
    }

    /// Nothing is dialled any more, and what there is is left.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.at = At::Connecting;
    }

    pub(super) fn look(&self, now: Moment) -> Look {
        let link = match &self.at {
            At::Connected(link) => Some(link),
            At::Connecting | At::Down(_) => None,
        };
        let state = match &self.at {
            At::Connecting => State::Connecting,
            At::Connected(_) => State::Connected {
                generation: self.generation,
            },
            At::Down(until) => State::Down {
                retry: until.since(now),
            },
        };
        Look {
            state,
            since: now.since(self.since),
            reason: self.reason.clone(),
            under_way: link.map_or(0, |link| link.traffic.under_way()),
            masters: link.map_or_else(Vec::new, |link| link.session.connections()),
        }
    }
}
