//! One generation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use event_listener::{Event, listener};
use larder_core::{Clock, Moment};

use super::heard::Heard;
use super::session::Session;
use super::settings::{Bounds, Pace};
use super::tally::Tally;
use super::traffic::{Sent, Traffic};
use crate::{ConnectError, ConnectErrorKind};

/// A session with all that is known of it: one generation of a connection.
pub(super) struct Link {
    pub(super) session: Arc<dyn Session>,
    pub(super) began: Moment,
    pub(super) traffic: Traffic,
    clock: Clock,
    pace: Pace,
    tally: Arc<Tally>,
    read_only: AtomicBool,
    doubt: OnceLock<ConnectError>,
    doubted: Event,
}

impl Link {
    pub(super) fn new(
        session: Arc<dyn Session>,
        clock: Clock,
        pace: Pace,
        bounds: Bounds,
        tally: Arc<Tally>,
    ) -> Self {
        Self {
            session,
            began: clock.now(),
            traffic: Traffic::new(bounds),
            clock,
            pace,
            tally,
            read_only: AtomicBool::new(false),
            doubt: OnceLock::new(),
            doubted: Event::new(),
        }
    }

    /// Gives the link up: all who wait for it are told. The first reason counts.
    pub(super) fn doubt(&self, why: ConnectError) {
        if self.doubt.set(why).is_ok() {
            self.doubted.notify(usize::MAX);
        }
    }

    /// Ends when the link is given up.
    pub(super) async fn doubted(&self) -> ConnectError {
        loop {
            listener!(self.doubted => doubted);
            if let Some(why) = self.doubt.get() {
                return why.clone();
            }
            doubted.await;
        }
    }

    /// The server takes no writes. That is no reason to leave it before it was seen to be so for a
    /// while: what it has can still be read.
    pub(super) fn takes_no_writes(&self) {
        self.read_only.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.read_only.load(Ordering::Relaxed)
    }

    pub(super) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Room for a batch of so many bytes, if there is any.
    pub(super) fn pass(&self, bytes: usize) -> Option<Pass<'_>> {
        let sent = self.traffic.enter(bytes, self.now(), self.heard())?;
        Some(self.passing(sent))
    }

    /// Room for a heartbeat.
    pub(super) fn beat(&self) -> Pass<'_> {
        let sent = self.traffic.beat(self.now(), self.heard());
        self.passing(sent)
    }

    /// What has come so far; nothing, where silence is no reason to give it up.
    fn heard(&self) -> Heard {
        if self.session.is_watched() {
            return Heard::default();
        }
        self.session.heard()
    }

    fn passing(&self, sent: Sent) -> Pass<'_> {
        let sent = Some(sent);
        Pass { link: self, sent }
    }

    fn given_up(&self, sent: Sent) {
        // It was not given up for its slowness, and what is under way here counts no more.
        if self.doubt.get().is_some() {
            return;
        }
        self.tally.given_up();
        let silence = self.traffic.given_up(sent);
        let long = self.now().since(silence.since) >= self.pace.patience;
        let large = self.heard().goes_on(silence.heard);
        let watched = self.session.is_watched();
        if long && !large && !watched && silence.count >= self.pace.timeouts {
            self.doubt(ConnectErrorKind::Silent.into());
        }
    }
}

/// A batch under way. Dropped, it was given up.
pub(super) struct Pass<'a> {
    link: &'a Link,
    sent: Option<Sent>,
}

impl Pass<'_> {
    pub(super) fn answered(mut self) {
        if let Some(sent) = self.sent.take() {
            self.link.traffic.answered(sent);
        }
    }

    pub(super) fn failed(mut self) {
        if let Some(sent) = self.sent.take() {
            self.link.traffic.failed(sent);
        }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if let Some(sent) = self.sent.take() {
            self.link.given_up(sent);
        }
    }
}
