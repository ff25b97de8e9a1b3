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

    /// Hears of each write to a key that begins with this prefix, from now on; no prefix is asked for
    /// twice. Ends when the server has acknowledged it. By default it is refused.
    ///
    /// # Errors
    /// The server refuses (the error has a [code](ConnectError::code)), and nothing has changed; or
    /// the connection is lost.
    fn track<'a>(&'a self, _prefix: &'a Bytes) -> BoxFuture<'a, Result<(), ConnectError>> {
        Box::pin(async { Err(ConnectError::refused("NOPROTO")) })
    }

    /// Asks every server that is listened to for a sign of life.
    ///
    /// # Errors
    /// There was none.
    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>>;
}

/// What is heard.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Published {
    /// A message on a channel.
    Message {
        /// The channel's name.
        channel: Bytes,
        /// What was published.
        payload: Bytes,
    },
    /// A key of this name was written or deleted.
    Written(Bytes),
    /// All keys were deleted.
    Flushed,
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
