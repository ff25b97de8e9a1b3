//! What ends the program.

use std::io;

use async_signal::{Signal, Signals};
use futures_lite::StreamExt;

/// The signals that ask for an orderly end, caught from the moment this is made.
#[derive(Debug)]
pub(crate) struct Ending(Signals);

impl Ending {
    /// # Errors
    /// The system has no room for another handler.
    pub(crate) fn new() -> io::Result<Self> {
        Signals::new([Signal::Term, Signal::Int]).map(Self)
    }

    /// Ends when the first of them comes.
    pub(crate) async fn wait(mut self) {
        match self.0.next().await {
            Some(Ok(signal)) => tracing::info!(?signal, "ending"),
            Some(Err(error)) => tracing::error!(%error, "signals are lost, ending"),
            None => {}
        }
    }
}
