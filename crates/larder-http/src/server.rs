//! The accept loop.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use smol::lock::Semaphore;
use smol::{Executor, Timer, channel};

use crate::bridge::Bridge;
use crate::connection;
use crate::{App, Limits};

/// How long accepting pauses after it failed, most likely for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves an [`App`] on an executor.
///
/// Accepting and every connection are tasks on that executor; no thread is started and no other executor is used.
#[derive(Debug)]
pub struct Server {
    app: App,
    executor: &'static Executor<'static>,
    limits: Limits,
}

impl Server {
    /// A server of `app` whose connections run on `executor`, with the default [`Limits`].
    pub fn new(app: App, executor: &'static Executor<'static>) -> Self {
        Self {
            app,
            executor,
            limits: Limits::default(),
        }
    }

    /// Replaces the limits. Those under their least are raised to it.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Serves until `shutdown` ends, then stops accepting, lets open requests finish and closes every connection,
    /// within [`Limits::grace`] and little more than a second.
    ///
    /// Dropping the future stops accepting at once and shuts down the connections in the same way.
    ///
    /// # Errors
    /// Only if the listener cannot be used at all; what goes wrong with a connection ends that connection, and when
    /// none can be accepted the server pauses and tries again.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let listener = smol::net::TcpListener::from(smol::Async::new(listener)?);
        let bridge = Arc::new(Bridge::new(self.app.into_routes(), self.limits.raised()));
        // Neither carries a message: one tells the connections to close, the other that all of them have ended.
        let (open, closing) = channel::bounded::<Infallible>(1);
        let (alive, all_ended) = channel::bounded::<Infallible>(1);
        let accepting = accept(self.executor, bridge, listener, closing, alive);
        // A task like the others: the thread that waits for the shutdown may be blocked by one of those.
        let accepting = self.executor.spawn(accepting);
        shutdown.await;
        accepting.cancel().await;
        drop(open);
        let _ = all_ended.recv().await;
        Ok(())
    }
}

/// Accepts for ever; owns the listener, so dropping it frees the address.
async fn accept(
    executor: &'static Executor<'static>,
    bridge: Arc<Bridge>,
    listener: smol::net::TcpListener,
    closing: channel::Receiver<Infallible>,
    alive: channel::Sender<Infallible>,
) {
    let permits = Arc::new(Semaphore::new(bridge.limits.connections));
    loop {
        let permit = permits.acquire_arc().await;
        let socket = match listener.accept().await {
            Ok((socket, _)) => socket,
            // That client is gone; the next may be there already.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
            Err(error) => {
                tracing::warn!(%error, "cannot accept");
                Timer::after(PAUSE).await;
                continue;
            }
        };
        // An answer must not wait for the acknowledgement of the one before. Failing costs only time.
        let _ = socket.set_nodelay(true);
        let (bridge, closing, alive) = (Arc::clone(&bridge), closing.clone(), alive.clone());
        let connection = async move {
            connection::serve(bridge, socket, closing).await;
            drop((permit, alive));
        };
        executor.spawn(connection).detach();
    }
}
