//! The requests to one server.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ::redis::aio::MultiplexedConnection;
use ::redis::{Pipeline, RedisError, Value};
use bytes::Bytes;
use futures_lite::future::poll_once;
use larder_core::BoxFuture;
use larder_core::far::FarError;
use smol::Task;
use smol::channel::{Receiver, bounded};

use crate::connection::drivers::{drive, help};
use crate::connection::heard::{Heard, Ledger};
use crate::connection::packed::Scripts;
use crate::connection::reading;
use crate::connection::session::Session;
use crate::replies::out_of_step;
use crate::wire::{Reply, Request};
use crate::{ConnectError, ConnectErrorKind};

/// One connection that all requests share.
pub(super) struct Linked {
    requests: MultiplexedConnection,
    scripts: Arc<Scripts>,
    ledger: Arc<Ledger>,
    /// How many wait for answers.
    waiting: AtomicUsize,
    /// Closed when the driver has ended.
    ended: Receiver<Infallible>,
    /// Dropped with this, it closes the connection.
    _driver: Task<()>,
}

impl Linked {
    pub(super) fn new(
        requests: MultiplexedConnection,
        driver: impl Future<Output = ()> + Send + 'static,
        scripts: &Arc<Scripts>,
        ledger: Arc<Ledger>,
    ) -> Self {
        let (alive, ended) = bounded(1);
        let driver = async move {
            let _alive = alive;
            driver.await;
        };
        Self {
            requests,
            scripts: Arc::clone(scripts),
            ledger,
            waiting: AtomicUsize::new(0),
            ended,
            _driver: drive(driver),
        }
    }

    /// Sees that the server serves, and tells it all scripts.
    pub(super) async fn prepare(&self) -> Result<(), ConnectError> {
        let mut first = ::redis::pipe();
        first.cmd("PING");
        for load in self.scripts.loads().cmd_iter() {
            first.add_command(load.clone());
        }
        let mut replies = self.pipeline(&first).await?.into_iter();
        // A script that it does not take is sent whole.
        replies.next().map_or(Ok(()), alive)
    }

    async fn pipeline(&self, pipeline: &Pipeline) -> Result<Vec<Reply>, ConnectError> {
        let count = pipeline.len();
        let mut requests = self.requests.clone();
        let idle = self.waiting.fetch_add(1, Ordering::Relaxed) == 0;
        let _waiting = Waiting(&self.waiting);
        let mut sending = pin!(requests.send_packed_commands(pipeline, 0, count));
        if idle {
            // Its first poll hands it over. Where others wait, what is sent is sent for all at once.
            if let Some(sent) = poll_once(sending.as_mut()).await {
                return self.answered(sent, count);
            }
            help();
        }
        let sent = sending.await;
        self.answered(sent, count)
    }

    fn answered(
        &self,
        sent: Result<Vec<Value>, RedisError>,
        count: usize,
    ) -> Result<Vec<Reply>, ConnectError> {
        let values = sent.map_err(|error| self.failed(&error))?;
        let replies = reading::replies(values).ok();
        let replies = replies.filter(|replies| replies.len() == count);
        replies.ok_or_else(|| ConnectErrorKind::Garbage.into())
    }

    /// Notes what makes the whole connection useless.
    fn failed(&self, error: &RedisError) -> ConnectError {
        let error = reading::error(error);
        if error.kind() == ConnectErrorKind::Garbage {
            self.ledger.garbage();
        }
        error
    }

    pub(super) async fn subscribe_to(&self, channels: &[Bytes]) -> Result<(), ConnectError> {
        let names: Vec<_> = channels.iter().map(|channel| &channel[..]).collect();
        let mut requests = self.requests.clone();
        let subscribed = requests.subscribe(names).await;
        subscribed.map_err(|error| reading::error(&error))
    }

    /// Sends requests as one pipeline.
    async fn ask(&self, pipeline: &Pipeline) -> Result<Vec<Reply>, FarError> {
        let replies = self.pipeline(pipeline).await;
        replies.map_err(|error| match error.kind() {
            ConnectErrorKind::Garbage => out_of_step(),
            _ => FarError::unknown(error),
        })
    }

    async fn send_all(&self, batch: &[Request]) -> Result<Vec<Reply>, FarError> {
        let mut replies = self.ask(&self.scripts.pack(batch.iter())).await?;
        // Scripts are lost with a restart, a failover, a flush.
        let lost: Vec<_> = (0..batch.len())
            .filter(|at| is_no_script(&replies[*at]))
            .collect();
        if !lost.is_empty() {
            let whole = self.scripts.pack_whole(lost.iter().map(|at| &batch[*at]));
            let again = self.ask(&whole).await?;
            for (at, reply) in lost.into_iter().zip(again) {
                replies[at] = reply;
            }
        }
        Ok(replies)
    }
}

/// A script that the server does not know any more is sent again, whole, after the others of its
/// batch.
impl Session for Linked {
    fn send<'a>(&'a self, batch: &'a [Request]) -> BoxFuture<'a, Result<Vec<Reply>, FarError>> {
        Box::pin(self.send_all(batch))
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        Box::pin(async {
            let mut ping = ::redis::pipe();
            ping.cmd("PING");
            let mut replies = self.pipeline(&ping).await?;
            replies.pop().map_or(Ok(()), alive)
        })
    }

    fn heard(&self) -> Heard {
        self.ledger.read()
    }

    fn ended(&self) -> BoxFuture<'_, ConnectError> {
        Box::pin(async {
            // Nothing is ever sent; it ends when nobody could any more.
            let _ = self.ended.recv().await;
            let garbage = self.ledger.has_garbage();
            let kind = if garbage {
                ConnectErrorKind::Garbage
            } else {
                ConnectErrorKind::Lost
            };
            kind.into()
        })
    }
}

/// One who waits for an answer, until he leaves.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether a server that answers `PING` so can serve.
fn alive(pong: Reply) -> Result<(), ConnectError> {
    match pong {
        Reply::Status(word) if word == "PONG" => Ok(()),
        // It answers all the same.
        Reply::Error { code, .. } if code == "NOPERM" => Ok(()),
        Reply::Error { code, .. } => Err(ConnectError::refused(&code)),
        _ => Err(ConnectErrorKind::Garbage.into()),
    }
}

fn is_no_script(reply: &Reply) -> bool {
    matches!(reply, Reply::Error { code, .. } if code == "NOSCRIPT")
}
