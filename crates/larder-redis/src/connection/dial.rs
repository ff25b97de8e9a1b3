//! Making connections.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_lite::FutureExt;
use larder_core::BoxFuture;

use super::listening::Listening;
use super::session::Session;
use crate::{ConnectError, ConnectErrorKind};

/// How connections to a target are made, one attempt at a time.
///
/// A [`Connection`](super::Connection) asks again and again, and bounds each attempt by dropping its
/// future: so an implementation needs no deadline, no second attempt and no memory of failures. Two
/// attempts, one of each kind, may be under way at once. A panic, here or in what was made, is a failed
/// attempt or a lost connection, of kind [`Other`](ConnectErrorKind::Other).
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

/// What code of others gives, or that it panicked: who asks again and again must not end by that.
pub(super) async fn caught<T>(code: impl Future<Output = T>) -> Result<T, ConnectError> {
    let end = AssertUnwindSafe(code).catch_unwind().await;
    // What a panic carries may panic when it is dropped; the hook has told of it already.
    end.map_err(|payload| {
        std::mem::forget(payload);
        ConnectErrorKind::Other.into()
    })
}
