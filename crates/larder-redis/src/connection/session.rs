//! A connection for requests.

use larder_core::BoxFuture;
use larder_core::far::FarError;

use super::heard::Heard;
use crate::ConnectError;
use crate::health::MasterHealth;
use crate::wire::{Reply, Request};

/// A connection for requests, from its handshake to its end: one generation of a
/// [`Connection`](super::Connection).
///
/// It is never repaired: when it has ended, or is doubted, all who wait for it are told, it is
/// dropped and another is dialled. To drop it is to close what it holds. It sets no deadlines.
pub trait Session: Send + Sync + 'static {
    /// Sends requests and gives their replies, as [`Wire::send`](crate::Wire::send) promises.
    fn send<'a>(&'a self, batch: &'a [Request]) -> BoxFuture<'a, Result<Vec<Reply>, FarError>>;

    /// How many servers hold keys now, as [`Wire::masters`](crate::Wire::masters).
    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>> {
        Box::pin(async { Ok(1) })
    }

    /// Asks every server that holds keys for a sign of life, and ends when all have given it.
    ///
    /// # Errors
    /// One of them has given another answer, or cannot be reached.
    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>>;

    /// What has come so far. A session that does not know says nothing: then what is not answered in
    /// time counts as silence, however much comes meanwhile.
    fn heard(&self) -> Heard {
        Heard::default()
    }

    /// How each of its connections is, if it is several.
    fn connections(&self) -> Vec<MasterHealth> {
        Vec::new()
    }

    /// Whether it is several connections of which each is watched by itself: then requests without an
    /// answer are no reason to replace them all.
    fn is_watched(&self) -> bool {
        false
    }

    /// Ends when this session can answer nothing any more, and says why. One that finds its way back
    /// by itself need not end.
    fn ended(&self) -> BoxFuture<'_, ConnectError>;
}
