//! The channels that one server is asked for.

use ::redis::aio::MultiplexedConnection;
use ::redis::{Value, cmd};
use bytes::Bytes;
use larder_core::BoxFuture;
use smol::Task;

use crate::ConnectError;
use crate::connection::drivers::drive;
use crate::connection::listening::Control;
use crate::connection::reading;

/// A connection for what is published, in the newer protocol: answers and messages share it.
pub(super) struct Subscriber {
    requests: MultiplexedConnection,
    /// Dropped with this, it closes the connection.
    _driver: Task<()>,
}

impl Subscriber {
    pub(super) fn new(
        requests: MultiplexedConnection,
        driver: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        Self {
            requests,
            _driver: drive(driver),
        }
    }
}

impl Control for Subscriber {
    fn subscribe<'a>(&'a self, channels: &'a [Bytes]) -> BoxFuture<'a, Result<(), ConnectError>> {
        let mut requests = self.requests.clone();
        Box::pin(async move {
            let names: Vec<_> = channels.iter().map(|channel| &channel[..]).collect();
            let subscribed = requests.subscribe(names).await;
            subscribed.map_err(|error| reading::error(&error))
        })
    }

    /// In broadcasting mode, which needs no memory of the server for each key. Prefixes add up.
    fn track<'a>(&'a self, prefix: &'a Bytes) -> BoxFuture<'a, Result<(), ConnectError>> {
        let mut requests = self.requests.clone();
        Box::pin(async move {
            let mut track = cmd("CLIENT");
            track.arg(&["TRACKING", "ON", "BCAST", "PREFIX"]);
            let told = track.arg(&prefix[..]).query_async::<Value>(&mut requests);
            told.await.map(drop).map_err(|error| reading::error(&error))
        })
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        let mut requests = self.requests.clone();
        Box::pin(async move {
            let pong = cmd("PING").query_async::<Value>(&mut requests).await;
            match pong {
                // It answers all the same.
                Err(error) if error.code() == Some("NOPERM") => Ok(()),
                pong => pong.map(drop).map_err(|error| reading::error(&error)),
            }
        })
    }
}
