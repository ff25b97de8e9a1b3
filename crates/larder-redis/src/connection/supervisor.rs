//! The connection that never gives up.

mod heed;
mod run;
mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use event_listener::Event;
use futures_lite::future::or;
use larder_core::far::FarError;
use larder_core::{Clock, Runtime};

use super::dial::Dial;
use super::heard::Heard;
use super::link::Link;
use super::refused::Refused;
use super::settings::{Bounds, Pace};
use super::tally::Tally;
use crate::health::MasterHealth;
use crate::wire::{Reply, Request};
use crate::{ConnectError, ConnectErrorKind};
use state::{At, Held};

/// Owns the dialler and the session of the moment.
///
/// `Connecting` → `Connected(generation)` ⇄ `Down(until)` → …: there is no last state. A task on the
/// runtime dials, watches and replaces; requests only look at what it has left behind, and fail at
/// once where that is nothing. The task ends when the supervisor is dropped.
pub(super) struct Supervisor(Arc<Shared>);

struct Shared {
    dial: Arc<dyn Dial>,
    runtime: Arc<dyn Runtime>,
    clock: Clock,
    pace: Pace,
    bounds: Bounds,
    held: Mutex<Held>,
    /// Told at each change of what is held.
    changed: Event,
    tally: Arc<Tally>,
    slot: Slot,
}

/// Which master of a cluster a connection leads to: the lowest of its slots.
pub(super) type Slot = Box<dyn Fn() -> Option<u16> + Send + Sync>;

impl Supervisor {
    /// Begins to connect.
    pub(super) fn start(
        dial: Arc<dyn Dial>,
        runtime: Arc<dyn Runtime>,
        pace: Pace,
        bounds: Bounds,
        tally: Arc<Tally>,
        slot: Slot,
    ) -> Self {
        let clock = runtime.clock();
        let shared = Arc::new(Shared {
            dial,
            runtime,
            held: Mutex::new(Held::new(clock.now())),
            clock,
            pace,
            bounds,
            changed: Event::new(),
            tally,
            slot,
        });
        let task = run::run(Arc::clone(&shared));
        shared.runtime.spawn(Box::pin(task));
        Self(shared)
    }

    /// Sends a batch over the session of the moment.
    pub(super) async fn send(&self, batch: &[Request]) -> Result<Vec<Reply>, FarError> {
        let link = self.0.link()?;
        let Some(pass) = link.pass(weight(batch)) else {
            self.0.tally.refused();
            return Err(FarError::busy(Refused::Busy));
        };
        let replies = over(&link, link.session.send(batch)).await;
        match &replies {
            Ok(_) => pass.answered(),
            Err(_) => pass.failed(),
        }
        heed::heed(&link, replies?)
    }

    /// How many servers hold keys.
    pub(super) async fn masters(&self) -> Result<usize, FarError> {
        let link = self.0.link()?;
        over(&link, link.session.masters()).await
    }

    /// Replaces the session of the moment, because answers were out of step.
    pub(super) fn distrust(&self) {
        self.0.tally.distrusted();
        if let Ok(link) = self.0.link() {
            link.doubt(ConnectErrorKind::Garbage.into());
        }
    }

    /// Ends when there is a connection, or an attempt has failed.
    pub(super) async fn first(&self) -> Result<(), ConnectError> {
        loop {
            let changed = self.0.changed.listen();
            if let Some(end) = self.0.lock().first() {
                return end;
            }
            changed.await;
        }
    }

    /// The number of the session of the moment.
    pub(super) fn generation(&self) -> Option<u64> {
        let held = self.0.lock();
        matches!(held.at, At::Connected(_)).then_some(held.generation)
    }

    /// Whether there is a session.
    pub(super) fn is_connected(&self) -> bool {
        matches!(self.0.lock().at, At::Connected(_))
    }

    /// What has come over the session of the moment.
    pub(super) fn heard(&self) -> Heard {
        match &self.0.lock().at {
            At::Connected(link) => link.session.heard(),
            At::Connecting | At::Down(_) => Heard::default(),
        }
    }

    /// The part of its health that others than a whole cluster have.
    pub(super) fn health(&self) -> MasterHealth {
        let slot = (self.0.slot)();
        let look = self.look();
        MasterHealth {
            slot,
            state: look.state,
            since: look.since,
            reason: look.reason,
        }
    }

    /// The part of its health that it knows.
    pub(super) fn look(&self) -> state::Look {
        self.0.lock().look(self.0.clock.now())
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.0.lock().close();
        self.0.changed.notify(usize::MAX);
    }
}

impl Shared {
    fn link(&self) -> Result<Arc<Link>, FarError> {
        let held = self.lock();
        if let At::Connected(link) = &held.at {
            return Ok(Arc::clone(link));
        }
        let why = held.reason.clone();
        drop(held);
        self.tally.unavailable();
        Err(FarError::not_sent(Refused::Unavailable(why)))
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a session answers, unless it is given up before.
async fn over<T>(
    link: &Link,
    answer: impl Future<Output = Result<T, FarError>>,
) -> Result<T, FarError> {
    or(answer, async {
        Err(FarError::unknown(link.doubted().await))
    })
    .await
}

/// Bytes of keys and arguments.
fn weight(batch: &[Request]) -> usize {
    batch.iter().map(Request::weight).sum()
}
