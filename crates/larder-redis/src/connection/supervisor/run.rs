//! Dialling, watching, replacing.

use std::sync::Arc;
use std::time::Duration;

use futures_lite::future::or;

use super::Shared;
use super::state::At;
use crate::bounded::bounded;
use crate::connection::backoff::Backoff;
use crate::connection::dial::caught;
use crate::connection::link::Link;
use crate::connection::session::Session;
use crate::{ConnectError, ConnectErrorKind, log};

/// Until the supervisor is dropped.
pub(super) async fn run(shared: Arc<Shared>) {
    or(shared.closed(), shared.supervise()).await;
}

impl Shared {
    async fn closed(&self) {
        loop {
            let changed = self.changed.listen();
            if self.lock().closed {
                return;
            }
            changed.await;
        }
    }

    async fn supervise(&self) {
        let mut backoff = Backoff::new(self.pace.backoff);
        let mut rounds = Rounds::new(self.pace.heartbeat);
        loop {
            let link = match self.attempt().await {
                Ok(session) => self.rose(session),
                Err(why) => {
                    self.tally.failed(&why);
                    self.rest(&mut backoff, &why).await;
                    continue;
                }
            };
            let watched = caught(self.watch(&link, rounds.patience)).await;
            let why = watched.unwrap_or_else(|panicked| panicked);
            self.tally.replaced(&why);
            rounds.ended(why.kind());
            let lived = self.clock.now().since(link.began) >= self.pace.heartbeat;
            if lived {
                backoff.reset();
                self.fell(At::Connecting, &why);
                link.doubt(why);
            } else {
                link.doubt(why.clone());
                self.rest(&mut backoff, &why).await;
            }
        }
    }

    /// One attempt, which may hang underneath.
    async fn attempt(&self) -> Result<Arc<dyn Session>, ConnectError> {
        let dial = caught(async { self.dial.dial().await });
        let dialled = bounded(&*self.runtime, self.pace.connect, dial).await;
        dialled.unwrap_or_else(|| Err(ConnectErrorKind::Silent.into()))?
    }

    /// Why a link is of no use any more.
    async fn watch(&self, link: &Link, read_only: Duration) -> ConnectError {
        let ended = or(link.doubted(), link.session.ended());
        or(ended, self.beat(link, read_only)).await
    }

    /// Asks for a sign of life again and again, until there is none.
    async fn beat(&self, link: &Link, read_only: Duration) -> ConnectError {
        loop {
            self.runtime.sleep(self.pace.heartbeat).await;
            let old = self.clock.now().since(link.began) >= read_only;
            if old && link.is_read_only() {
                return ConnectErrorKind::ReadOnly.into();
            }
            let pass = link.beat();
            match self.ping(&*link.session).await {
                Ok(()) => pass.answered(),
                Err(why) => {
                    pass.failed();
                    return why;
                }
            }
        }
    }

    /// Asks for a sign of life, with more patience while a large answer is in its way.
    async fn ping(&self, session: &dyn Session) -> Result<(), ConnectError> {
        let mut ping = session.ping();
        loop {
            let before = session.heard();
            match bounded(&*self.runtime, self.pace.patience, &mut ping).await {
                Some(end) => return end,
                None if session.heard().goes_on(before) => {}
                None => return Err(ConnectErrorKind::Silent.into()),
            }
        }
    }

    /// Nothing is tried for a while.
    async fn rest(&self, backoff: &mut Backoff, why: &ConnectError) {
        let wait = backoff.wait(self.runtime.random());
        self.fell(At::Down(self.clock.now().after(wait)), why);
        self.runtime.sleep(wait).await;
    }

    fn rose(&self, session: Arc<dyn Session>) -> Arc<Link> {
        let tally = Arc::clone(&self.tally);
        let link = Link::new(session, self.clock.clone(), self.pace, self.bounds, tally);
        let link = Arc::new(link);
        self.tally.connected();
        let mut held = self.lock();
        held.generation += 1;
        held.turn(At::Connected(Arc::clone(&link)), self.clock.now());
        drop(held);
        self.changed.notify(usize::MAX);
        log::connected((self.slot)());
        link
    }

    /// There is none, or none any more. One line for the same reason, however often it is met.
    fn fell(&self, at: At, why: &ConnectError) {
        let mut held = self.lock();
        let news = matches!(held.at, At::Connected(_)) || held.reason.as_ref() != Some(why);
        held.reason = Some(why.clone());
        held.turn(at, self.clock.now());
        drop(held);
        self.changed.notify(usize::MAX);
        if news {
            log::down(why, (self.slot)());
        }
    }
}

/// How long a server that takes no writes is kept for what can be read of it: each time twice as
/// long, so that one which never takes any is not left again and again.
struct Rounds {
    least: Duration,
    patience: Duration,
}

const LONGEST: Duration = Duration::from_secs(60);

impl Rounds {
    const fn new(least: Duration) -> Self {
        let patience = least;
        Self { least, patience }
    }

    fn ended(&mut self, why: ConnectErrorKind) {
        self.patience = if why == ConnectErrorKind::ReadOnly {
            self.patience.saturating_mul(2).min(LONGEST)
        } else {
            self.least
        };
    }
}
