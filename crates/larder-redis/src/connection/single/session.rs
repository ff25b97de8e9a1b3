//! The requests to one server.

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;

use futures_lite::future::or;
use larder_core::BoxFuture;
use larder_core::far::FarError;
use smol::Task;
use smol::channel::{Receiver, bounded};

use super::encoding::{Scripts, write_words};
use super::greeting::identify;
use super::lane::Lane;
use super::receiving::receive;
use super::sending::send;
use crate::connection::drivers::drive;
use crate::connection::heard::{Heard, Ledger};
use crate::connection::session::Session;
use crate::connection::settings::Settings;
use crate::connection::stream::{Incoming, Outgoing, Stream};
use crate::replies::out_of_step;
use crate::wire::{Reply, Request};
use crate::{ConnectError, ConnectErrorKind};

/// One connection that all requests share.
pub(super) struct Linked {
    lane: Arc<Lane>,
    scripts: Arc<Scripts>,
    ledger: Arc<Ledger>,
    /// What moves the bytes either way. Dropped with this, it closes the connection.
    sending: Moving,
    receiving: Moving,
}

/// A task, and what is closed when it has ended.
struct Moving {
    ended: Receiver<Infallible>,
    _task: Task<()>,
}

impl Moving {
    fn begin(work: impl Future<Output = ()> + Send + 'static) -> Self {
        let (alive, ended) = bounded(1);
        let work = async move {
            let _alive = alive;
            work.await;
        };
        Self {
            ended,
            _task: drive(work),
        }
    }

    async fn ended(&self) {
        // Nothing is ever sent; it ends when nobody could any more.
        let _ = self.ended.recv().await;
    }
}

impl Linked {
    /// Over both halves of a connection.
    pub(super) fn new(from: Stream<Incoming>, to: Outgoing, scripts: &Arc<Scripts>) -> Self {
        let ledger = from.ledger();
        let lane = Arc::new(Lane::new(to, Arc::clone(&ledger)));
        let (sends, receives) = (Arc::clone(&lane), Arc::clone(&lane));
        let sending = async move { send(&sends).await };
        let receiving =
            async move { receives.end(receive(from, |answers| receives.answer(answers)).await) };
        Self {
            lane,
            scripts: Arc::clone(scripts),
            ledger,
            sending: Moving::begin(sending),
            receiving: Moving::begin(receiving),
        }
    }

    /// Says who asks, sees that the server serves, and tells it all scripts: one trip. The older of
    /// the protocols does for requests, and every server speaks it.
    pub(super) async fn greet(&self, settings: &Settings) -> Result<(), ConnectError> {
        let mut out = Vec::new();
        let first = identify(settings, &mut out);
        write_words(&mut out, [b"PING"]);
        let loads = self.scripts.write_loads(&mut out);
        let replies = self.exchange(first + 1 + loads, |to| to.extend_from_slice(&out));
        let mut replies = replies.await?.into_iter();
        replies.by_ref().take(first).try_for_each(taken)?;
        // A script that it does not take is sent whole.
        replies.next().map_or(Ok(()), alive)
    }

    /// The answers to the requests that `write` appends.
    async fn exchange(
        &self,
        answers: usize,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<Vec<Reply>, ConnectErrorKind> {
        let (place, mut duty) = self.lane.ask(answers, write)?;
        poll_fn(|context| {
            duty.poll(context);
            place.poll(context)
        })
        .await
    }

    async fn ask<'r>(
        &self,
        batch: impl ExactSizeIterator<Item = &'r Request>,
        whole: bool,
    ) -> Result<Vec<Reply>, FarError> {
        let count = batch.len();
        let write = |out: &mut Vec<u8>| batch.for_each(|one| self.scripts.write(one, whole, out));
        let replies = self.exchange(count, write).await;
        replies.map_err(|why| match why {
            ConnectErrorKind::Garbage => out_of_step(),
            why => FarError::unknown(ConnectError::from(why)),
        })
    }

    async fn send_all(&self, batch: &[Request]) -> Result<Vec<Reply>, FarError> {
        let mut replies = self.ask(batch.iter(), false).await?;
        // Scripts are lost with a restart, a failover, a flush.
        let lost: Vec<_> = (0..batch.len())
            .filter(|at| is_no_script(&replies[*at]))
            .collect();
        if !lost.is_empty() {
            let again = self.ask(lost.iter().map(|at| &batch[*at]), true).await?;
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
            let mut replies = self.exchange(1, |out| write_words(out, [b"PING"])).await?;
            replies.pop().map_or(Ok(()), alive)
        })
    }

    fn heard(&self) -> Heard {
        self.ledger.read()
    }

    fn ended(&self) -> BoxFuture<'_, ConnectError> {
        Box::pin(async {
            or(self.sending.ended(), self.receiving.ended()).await;
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

fn taken(reply: Reply) -> Result<(), ConnectError> {
    match reply {
        Reply::Error { code, .. } => Err(ConnectError::refused(&code)),
        _ => Ok(()),
    }
}

fn is_no_script(reply: &Reply) -> bool {
    matches!(reply, Reply::Error { code, .. } if code == "NOSCRIPT")
}
