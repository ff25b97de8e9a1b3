//! A connection for what is published.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_lite::Stream;
use larder_core::BoxFuture;

use crate::ConnectError;

/// A connection for what is published, in two parts.
pub struct Listening {
    /// Changes what is heard.
    pub(super) control: Arc<dyn Control>,
    /// What is heard. It ends with the connection.
    pub(super) messages: Messages,
}

/// What is heard, in its order.
type Messages = Pin<Box<dyn Stream<Item = Published> + Send>>;

/// The part of a [`Listening`] that is told what to hear.
pub trait Control: Send + Sync + 'static {
    /// Hears these channels from now on; ends when the server has acknowledged all of them.
    ///
    /// # Errors
    /// The connection is lost, or the server permits it not. It is given up then.
    fn subscribe<'a>(&'a self, channels: &'a [Bytes]) -> BoxFuture<'a, Result<(), ConnectError>>;

    /// Asks every server that is listened to for a sign of life.
    ///
    /// # Errors
    /// There was none.
    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>>;
}

/// A message, and the channel that it came on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing more to it")]
pub struct Published {
    /// The channel's name.
    pub channel: Bytes,
    /// What was published.
    pub payload: Bytes,
}

impl Listening {
    /// A connection of these parts. The messages end when it is lost.
    pub fn new(
        control: Arc<dyn Control>,
        messages: impl Stream<Item = Published> + Send + 'static,
    ) -> Self {
        let messages = Box::pin(messages);
        Self { control, messages }
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening").finish_non_exhaustive()
    }
}
