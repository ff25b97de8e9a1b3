//! Making connections.

use std::sync::Arc;

use larder_core::BoxFuture;

use super::listening::Listening;
use super::session::Session;
use crate::ConnectError;

/// How connections to a target are made, one attempt at a time.
///
/// A [`Connection`](super::Connection) asks again and again, and bounds each attempt by dropping its
/// future: so an implementation needs no deadline, no second attempt and no memory of failures. Two
/// attempts, one of each kind, may be under way at once.
pub trait Dial: Send + Sync + 'static {
    /// One attempt at a session for requests, ready to serve: a server that is still loading, wants
    /// other credentials or has lost its master is an error here.
    fn dial(&self) -> BoxFuture<'_, Result<Arc<dyn Session>, ConnectError>>;

    /// One attempt at a connection for what is published.
    fn listen(&self) -> BoxFuture<'_, Result<Listening, ConnectError>>;

    /// Whether what it makes for listening can hear of writes to keys. It never changes.
    ///
    /// # Errors
    /// It cannot: the text ends a sentence about the target.
    fn tracks(&self) -> Result<(), &'static str> {
        if self.is_cluster() {
            return Err(
                "is a Redis Cluster: its masters tell of writes each for itself, and a new one not \
                 at all",
            );
        }
        Ok(())
    }

    /// Whether keys are spread over servers. It never changes.
    fn is_cluster(&self) -> bool {
        false
    }
}
