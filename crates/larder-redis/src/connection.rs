//! Connections to servers: the one place that names the crate underneath.
//!
//! # Nouns
//! - [`Settings`]: what a connection is made with; a [`Target`] says where.
//! - [`Dial`]: makes connections, one attempt at a time. What it makes is a [`Session`] for requests
//!   or a [`Listening`] for what is published, and neither is ever repaired.
//! - [`Connection`]: the wire. A supervisor watches the session and a hearing the listening; each dials
//!   again whenever its own is of no use any more.
//! - A link is a session with what is known of it: what is under way, and whether it is doubted.
//!
//! A new kind of target is a new `Dial`: all that lasts longer than a connection lies above it. That of
//! Sentinel finds the master and dials it; that of a cluster has a supervisor for each master.

mod backoff;
mod cluster;
mod credentials;
mod dial;
mod dialler;
mod drivers;
mod ears;
mod first;
mod frames;
mod heard;
mod hearing;
mod link;
mod listening;
mod reading;
mod refused;
mod sentinel;
mod session;
mod settings;
mod single;
mod stream;
mod supervisor;
mod tally;
mod target;
#[cfg(feature = "tls")]
mod tls;
mod together;
mod topic;
mod tracking;
mod traffic;

use std::fmt;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use larder_core::far::FarError;
use larder_core::{BoxFuture, Runtime};

use crate::ConnectError;
use crate::health::Health;
use crate::wire::{Ear, Reply, Request, Wire};
use dialler::{At, Diallers, dialler};
use hearing::Hearing;
use supervisor::Supervisor;
use tally::Tally;

pub use dial::Dial;
pub use heard::Heard;
pub use listening::{Control, Listening, Published};
pub use session::Session;
pub use settings::{SettingError, Settings};
pub use target::{Address, Target};

/// A wire that makes its connections itself, again and again, and never gives up.
///
/// One connection carries all requests, another what is published (as soon as somebody wants to hear
/// it). Each is watched by a heartbeat and replaced when it breaks, falls silent or answers out of
/// step. While there is none, requests fail at once; whatever the reason is (a server that is down, a
/// password that is wrong, a name that is unknown), the next attempt comes within the longest
/// [`backoff`](Settings::backoff). It is closed when it is dropped.
///
/// Timers and the tasks that watch run on the runtime; what moves the bytes runs on a thread of its
/// own, so that a task which blocks an executor holds up no answer.
pub struct Connection {
    supervisor: Supervisor,
    hearing: Hearing,
    tally: Arc<Tally>,
    cluster: bool,
    tracks: Result<(), &'static str>,
}

impl Connection {
    /// A connection, at once: it connects in the background. What is asked until then fails at once,
    /// so that a program starts without its server.
    ///
    /// # Errors
    /// A setting is wrong.
    pub fn open(settings: Settings, runtime: Arc<dyn Runtime>) -> Result<Self, SettingError> {
        let diallers = Diallers::of(&settings);
        Self::by(settings, diallers, runtime)
    }

    /// As [`open`](Self::open), with each server dialled as `dial` says for its address: through a tunnel,
    /// or at another address than the one by which sentinels and nodes of a cluster know it.
    ///
    /// Which servers that are is found as ever: the one that is named; the master that sentinels name;
    /// the nodes that a cluster consists of. Sentinels are dialled so too. Of the settings it takes all
    /// but the credentials, the database, the authority and `largest_reply`.
    ///
    /// # Errors
    /// A setting is wrong.
    pub fn open_through(
        settings: Settings,
        dial: impl Fn(&Address) -> Arc<dyn Dial> + Send + Sync + 'static,
        runtime: Arc<dyn Runtime>,
    ) -> Result<Self, SettingError> {
        let server: At = Arc::new(dial);
        let sentinel = Arc::clone(&server);
        Self::by(settings, Diallers { server, sentinel }, runtime)
    }

    fn by(
        settings: Settings,
        diallers: Diallers,
        runtime: Arc<dyn Runtime>,
    ) -> Result<Self, SettingError> {
        settings.check()?;
        let (pace, bounds) = (settings.pace, settings.bounds);
        let tally = Arc::default();
        let dial = dialler(settings, diallers, &runtime, &tally)?;
        Ok(Self::start(dial, runtime, pace, bounds, tally))
    }

    /// A connection, as soon as there is one: to be asked at once.
    ///
    /// # Errors
    /// A setting is wrong, or the first attempt failed. It takes no longer than
    /// [`connect_timeout`](Settings::connect_timeout). No text shows the target.
    pub async fn connect(
        settings: Settings,
        runtime: Arc<dyn Runtime>,
    ) -> Result<Self, ConnectError> {
        let opened = Self::open(settings, runtime);
        let connection = opened.map_err(|error| ConnectError::setting(&error))?;
        connection.supervisor.first().await?;
        Ok(connection)
    }

    /// A connection over another way to dial. Of the settings it takes all but the target, the
    /// credentials, the database and the authority.
    ///
    /// # Errors
    /// A setting is wrong.
    pub fn over(
        dial: Arc<dyn Dial>,
        settings: &Settings,
        runtime: Arc<dyn Runtime>,
    ) -> Result<Self, SettingError> {
        settings.check()?;
        let (pace, bounds) = (settings.pace, settings.bounds);
        Ok(Self::start(dial, runtime, pace, bounds, Arc::default()))
    }

    fn start(
        dial: Arc<dyn Dial>,
        runtime: Arc<dyn Runtime>,
        pace: settings::Pace,
        bounds: settings::Bounds,
        tally: Arc<Tally>,
    ) -> Self {
        let (cluster, tracks) = (dial.is_cluster(), dial.tracks());
        let hearing = Hearing::start(
            Arc::clone(&dial),
            Arc::clone(&runtime),
            pace,
            Arc::clone(&tally),
        );
        let whole = Box::new(|| None);
        let supervisor = Supervisor::start(dial, runtime, pace, bounds, Arc::clone(&tally), whole);
        Self {
            supervisor,
            hearing,
            tally,
            cluster,
            tracks,
        }
    }

    /// How it is.
    #[must_use]
    pub fn health(&self) -> Health {
        let look = self.supervisor.look();
        Health {
            state: look.state,
            since: look.since,
            reason: look.reason,
            hearing: self.hearing.hears(),
            under_way: look.under_way,
            masters: look.masters,
            counts: self.tally.read(),
        }
    }
}

impl Wire for Connection {
    fn send(&self, batch: Vec<Request>) -> BoxFuture<'_, Result<Vec<Reply>, FarError>> {
        Box::pin(async move {
            if batch.is_empty() {
                return Ok(Vec::new());
            }
            self.supervisor.send(&batch).await
        })
    }

    fn is_cluster(&self) -> bool {
        self.cluster
    }

    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>> {
        Box::pin(self.supervisor.masters())
    }

    fn distrust(&self) {
        self.supervisor.distrust();
    }

    fn generation(&self) -> Option<u64> {
        self.supervisor.generation()
    }

    fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        self.hearing.subscribe(channel, ear);
    }

    fn tracks(&self) -> Result<(), &'static str> {
        self.tracks
    }

    fn track(&self, prefix: Bytes, ear: Weak<dyn Ear>) {
        if self.tracks.is_ok() {
            self.hearing.track(prefix, ear);
        }
    }

    fn health(&self) -> Option<Health> {
        Some(Self::health(self))
    }
}

/// What it is connected to may show a password.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}
