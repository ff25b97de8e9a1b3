//! The master of a service, wherever sentinels say that it is.

mod asked;
mod watched;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_lite::StreamExt;
use larder_core::{BoxFuture, Runtime};

use super::dial::Dial;
use super::dialler::At;
use super::first::first;
use super::listening::Listening;
use super::session::Session;
use super::settings::Pace;
use super::target::Address;
use crate::bounded::bounded;
use crate::{ConnectError, ConnectErrorKind};
use asked::Asked;
use watched::{Master, watched};

/// Asks sentinels for the master of a service, and connects to it.
///
/// A sentinel may be late to hear of a failover: so the server is asked what it is, and if it is no
/// master the next sentinel is asked.
pub(super) struct Sentinel(Arc<Inner>);

struct Inner {
    sentinels: Vec<Asked>,
    server: At,
    runtime: Arc<dyn Runtime>,
    /// How long one sentinel may hold up that another is asked.
    pause: Duration,
    /// How long sentinels may take to say that the master is another.
    check: Duration,
    /// How long nobody is listened to when that was of no use.
    rest: Duration,
    /// Which sentinel is asked first: the one that was right last.
    turn: AtomicUsize,
    /// The master that was found last.
    master: Mutex<Option<Address>>,
}

impl Sentinel {
    /// The master of a service: each sentinel with how it is dialled, and how a server is.
    pub(super) fn new(
        sentinels: Vec<(Address, Arc<dyn Dial>)>,
        service: &str,
        server: At,
        runtime: Arc<dyn Runtime>,
        pace: Pace,
    ) -> Self {
        let share = u32::try_from(2 * sentinels.len()).unwrap_or(u32::MAX);
        let service = Bytes::copy_from_slice(service.as_bytes());
        let sentinels = sentinels.into_iter();
        let sentinels = sentinels.map(|(at, dial)| Asked::new(at, dial, service.clone()));
        Self(Arc::new(Inner {
            sentinels: sentinels.collect(),
            server,
            runtime,
            pause: pace.connect / share.max(1),
            check: pace.patience * 3 / 4,
            rest: pace.heartbeat.min(pace.connect),
            turn: AtomicUsize::new(0),
            master: Mutex::new(None),
        }))
    }
}

impl Inner {
    /// The master that a sentinel names and that says so itself, and a session with it.
    async fn find(&self) -> Result<(Address, Arc<dyn Session>), ConnectError> {
        let found = self.first(|sentinel| async {
            let address = sentinel.master().await?;
            let session = self.leader(&address).await?;
            Ok((address, session))
        });
        let (address, session) = found.await?;
        *self.lock() = Some(address.clone());
        Ok((address, session))
    }

    /// Whether the master is another by now. It is asked at every heartbeat: a server that is cut off
    /// from the sentinels does not hear that it was replaced.
    async fn has_moved(&self, from: &Address) -> bool {
        let moved = async {
            let named = self.first(Asked::master).await;
            self.is_other(named, from).await
        };
        bounded(&*self.runtime, self.check, moved).await == Some(true)
    }

    /// Ends when the master is another and a sentinel tells so, which is sooner than to be asked.
    async fn told(&self, from: &Address) {
        let first = self.turn.load(Ordering::Relaxed);
        for turn in first.. {
            let sentinel = &self.sentinels[turn % self.sentinels.len()];
            let listening = bounded(&*self.runtime, self.pause, sentinel.listen()).await;
            // Another service may be meant, or the new master not have heard of it yet.
            if let Some(Ok(mut listening)) = listening
                && listening.messages.next().await.is_some()
                && self.is_other(sentinel.master().await, from).await
            {
                return;
            }
            self.runtime.sleep(self.rest).await;
        }
    }

    /// Whether what a sentinel names is another master. One that is late names a server that leads
    /// no more.
    async fn is_other(&self, named: Result<Address, ConnectError>, from: &Address) -> bool {
        match named {
            Ok(other) if other != *from => self.leader(&other).await.is_ok(),
            _ => false,
        }
    }

    /// A session with a server that says that it is a master.
    async fn leader(&self, address: &Address) -> Result<Arc<dyn Session>, ConnectError> {
        let session = (self.server)(address).dial().await?;
        asked::leads(&*session).await?;
        Ok(session)
    }

    /// What the first sentinel gives that gives anything.
    async fn first<'a, T, F>(&'a self, ask: impl Fn(&'a Asked) -> F) -> Result<T, ConnectError>
    where
        F: Future<Output = Result<T, ConnectError>> + Send + 'a,
    {
        let count = self.sentinels.len();
        let turn = self.turn.load(Ordering::Relaxed);
        let numbers = (0..count).map(|at| (turn + at) % count);
        let attempts = numbers.map(|number| -> BoxFuture<'a, _> {
            let asked = ask(&self.sentinels[number]);
            Box::pin(async move { Ok((number, asked.await?)) })
        });
        let pause = || self.runtime.sleep(self.pause);
        match first(attempts.collect(), pause).await {
            Some(Ok((number, answer))) => {
                self.turn.store(number, Ordering::Relaxed);
                Ok(answer)
            }
            Some(Err(error)) => Err(error),
            None => Err(ConnectErrorKind::NoMaster.into()),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Address>> {
        self.master.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Dial for Sentinel {
    fn dial(&self) -> BoxFuture<'_, Result<Arc<dyn Session>, ConnectError>> {
        Box::pin(async {
            let (at, session) = self.0.find().await?;
            let sentinel = Arc::clone(&self.0);
            Ok(Arc::new(Master::new(at, session, sentinel)) as Arc<dyn Session>)
        })
    }

    /// Listens to the master that was found last, or else finds it.
    fn listen(&self) -> BoxFuture<'_, Result<Listening, ConnectError>> {
        Box::pin(async {
            let known = self.0.lock().clone();
            let at = match known {
                Some(at) => at,
                None => self.0.find().await?.0,
            };
            let listening = (self.0.server)(&at).listen().await?;
            Ok(watched(at, listening, Arc::clone(&self.0)))
        })
    }
}
