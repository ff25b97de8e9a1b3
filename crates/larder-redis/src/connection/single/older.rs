//! What one server publishes, in the older protocol.

mod asked;

use std::sync::Arc;

use bytes::Bytes;
use futures_lite::AsyncWriteExt;
use larder_core::BoxFuture;
use smol::Task;
use smol::channel::bounded;

use super::encoding::{begin, word};
use super::greeting::identify;
use super::pushes::MOST;
use super::receiving::receive;
use crate::connection::drivers::drive;
use crate::connection::listening::{Control, Listening};
use crate::connection::settings::Settings;
use crate::connection::stream::{Incoming, Outgoing, Stream};
use crate::{ConnectError, ConnectErrorKind};
use asked::Asked;

/// A connection for what is published, over both halves of a stream.
///
/// # Errors
/// The server does not take who asks.
pub(super) async fn listening(
    (from, to): (Stream<Incoming>, Outgoing),
    settings: &Settings,
) -> Result<Listening, ConnectError> {
    let (publish, messages) = bounded(MOST);
    let asked = Arc::new(Asked::default());
    let answered = Arc::clone(&asked);
    let driver = drive(async move {
        let take = |reply| answered.take(reply, &publish);
        receive(from, |mut replies| replies.try_for_each(take)).await;
        // Nobody waits for what cannot come any more.
        answered.close();
    });
    let older = Older {
        to: smol::lock::Mutex::new(to),
        asked,
        _driver: driver,
    };
    let mut out = Vec::new();
    let answers = identify(settings, &mut out);
    older.ask(&out, answers).await?;
    Ok(Listening::new(Arc::new(older), messages))
}

struct Older {
    to: smol::lock::Mutex<Outgoing>,
    asked: Arc<Asked>,
    /// Dropped with this, it closes the connection.
    _driver: Task<()>,
}

impl Older {
    /// Sends what is written there, and waits for so many answers.
    async fn ask(&self, out: &[u8], answers: usize) -> Result<(), ConnectError> {
        if answers == 0 {
            return Ok(());
        }
        let lost = |_| ConnectError::from(ConnectErrorKind::Lost);
        let mut to = self.to.lock().await;
        let end = self.asked.wait_for(answers)?;
        to.write_all(out)
            .await
            .map_err(|_| ConnectErrorKind::Lost)?;
        to.flush().await.map_err(|_| ConnectErrorKind::Lost)?;
        drop(to);
        end.recv().await.map_err(lost)?
    }
}

impl Control for Older {
    fn subscribe<'a>(&'a self, channels: &'a [Bytes]) -> BoxFuture<'a, Result<(), ConnectError>> {
        Box::pin(async {
            let mut out = Vec::new();
            begin(&mut out, 1 + channels.len());
            word(&mut out, b"SUBSCRIBE");
            channels.iter().for_each(|channel| word(&mut out, channel));
            self.ask(&out, channels.len()).await
        })
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        Box::pin(async {
            let mut out = Vec::new();
            begin(&mut out, 1);
            word(&mut out, b"PING");
            match self.ask(&out, 1).await {
                // It answers all the same.
                Err(why) if why.code() == Some("NOPERM") => Ok(()),
                end => end,
            }
        })
    }
}
