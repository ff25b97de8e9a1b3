//! Connections to servers: the one place that names the crate underneath.

mod error;
mod hearing;
mod packed;
mod reply;

use std::fmt;
use std::sync::{Arc, Weak};

use ::redis::aio::MultiplexedConnection;
use ::redis::{AsyncConnectionConfig, Client, IntoConnectionInfo};
use bytes::Bytes;
use larder_core::far::FarError;
use larder_core::{BoxFuture, Runtime};

use crate::wire::{Ear, Reply, Request, Wire};
use hearing::Hearing;
use packed::Scripts;

pub use error::ConnectError;

/// A wire to one server, over two connections: one for all requests, one for what is published.
///
/// Neither is replaced when it breaks: from then on requests fail, and ears have been told that the
/// subscription is lost. It is for programs that end with their server, tests among them.
pub struct Connection {
    requests: MultiplexedConnection,
    scripts: Scripts,
    hearing: Hearing,
}

impl Connection {
    /// Connects to the server of a URL: `redis://user:password@host:port/database`, or
    /// `unix:///path/to/socket`. The runtime runs what reads the published messages; the requests are
    /// driven by smol's global executor.
    ///
    /// # Errors
    /// The URL is not understood, or the server cannot be reached, or refuses. No text shows the URL.
    pub async fn open(url: &str, runtime: Arc<dyn Runtime>) -> Result<Self, ConnectError> {
        let info = url.into_connection_info().map_err(ConnectError::new)?;
        // Small requests would wait for the answers to those before them.
        let tcp = info.tcp_settings().clone().set_nodelay(true);
        let client = Client::open(info.set_tcp_settings(tcp)).map_err(ConnectError::new)?;
        // Who waits bounds each operation as a whole.
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let requests = client.get_multiplexed_async_connection_with_config(&config);
        let requests = requests.await.map_err(ConnectError::new)?;
        let hearing = Hearing::open(&client, runtime).await?;
        let connection = Self {
            requests,
            scripts: Scripts::new(),
            hearing,
        };
        connection.load_scripts().await?;
        Ok(connection)
    }

    async fn load_scripts(&self) -> Result<(), ConnectError> {
        let loads = self.scripts.loads();
        let count = loads.len();
        let mut requests = self.requests.clone();
        let loaded = requests.send_packed_commands(&loads, 0, count).await;
        loaded.map(drop).map_err(ConnectError::new)
    }

    /// Sends requests as one pipeline.
    async fn pipeline(&self, pipeline: &::redis::Pipeline) -> Result<Vec<Reply>, FarError> {
        let count = pipeline.len();
        let mut requests = self.requests.clone();
        let sent = requests.send_packed_commands(pipeline, 0, count).await;
        let values = sent.map_err(|error| FarError::unknown(ConnectError::new(error)))?;
        if values.len() != count {
            return Err(crate::replies::out_of_step());
        }
        values.into_iter().map(reply::read).collect()
    }

    async fn send_all(&self, batch: &[Request]) -> Result<Vec<Reply>, FarError> {
        let mut replies = self.pipeline(&self.scripts.pack(batch.iter())).await?;
        // Scripts are lost with a restart, a failover, a flush.
        let lost: Vec<_> = (0..batch.len())
            .filter(|at| is_no_script(&replies[*at]))
            .collect();
        if !lost.is_empty() {
            let whole = self.scripts.pack_whole(lost.iter().map(|at| &batch[*at]));
            let again = self.pipeline(&whole).await?;
            for (at, reply) in lost.into_iter().zip(again) {
                replies[at] = reply;
            }
        }
        Ok(replies)
    }
}

impl Wire for Connection {
    /// A script that the server does not know any more is sent again, whole, after the others of its
    /// batch.
    fn send(&self, batch: Vec<Request>) -> BoxFuture<'_, Result<Vec<Reply>, FarError>> {
        Box::pin(async move {
            if batch.is_empty() {
                return Ok(Vec::new());
            }
            self.send_all(&batch).await
        })
    }

    fn is_cluster(&self) -> bool {
        false
    }

    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>> {
        Box::pin(async { Ok(1) })
    }

    fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        self.hearing.subscribe(channel, ear);
    }
}

fn is_no_script(reply: &Reply) -> bool {
    matches!(reply, Reply::Error { code, .. } if code == "NOSCRIPT")
}

/// What it is connected to may show a password.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}
