//! What one server publishes, in the older protocol.

use std::sync::Arc;

use ::redis::aio::{PubSub, PubSubSink};
use ::redis::{Msg, Value};
use bytes::Bytes;
use futures_lite::StreamExt;
use larder_core::BoxFuture;

use crate::ConnectError;
use crate::connection::listening::{Control, Listening, Published};
use crate::connection::reading;

/// The crate underneath moves the bytes of such a connection on smol's global executor.
pub(super) fn listening(connection: PubSub) -> Listening {
    let (sink, messages) = connection.split();
    let messages = messages.map(|message: Msg| Published {
        channel: Bytes::copy_from_slice(message.get_channel_name().as_bytes()),
        payload: Bytes::copy_from_slice(message.get_payload_bytes()),
    });
    Listening::new(Arc::new(Sink(sink)), messages)
}

struct Sink(PubSubSink);

impl Control for Sink {
    fn subscribe<'a>(&'a self, channels: &'a [Bytes]) -> BoxFuture<'a, Result<(), ConnectError>> {
        let mut sink = self.0.clone();
        Box::pin(async move {
            let names: Vec<_> = channels.iter().map(|channel| &channel[..]).collect();
            let subscribed = sink.subscribe(names).await;
            subscribed.map_err(|error| reading::error(&error))
        })
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        let mut sink = self.0.clone();
        Box::pin(async move {
            let pong = sink.ping::<Value>().await;
            // A refusal is an answer as well.
            pong.map(drop).map_err(|error| reading::error(&error))
        })
    }
}
