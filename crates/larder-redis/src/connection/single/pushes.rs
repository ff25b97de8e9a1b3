//! What one server publishes.

use std::sync::Arc;

use ::redis::{PushInfo, PushKind, Value};
use smol::channel::{Receiver, Sender, unbounded};

use super::subscriber::Subscriber;
use crate::connection::listening::{Listening, Published};

/// Where the messages of a connection go, and where they come out. It ends with the connection.
pub(super) fn channel() -> (Pushes, Receiver<Published>) {
    let (publish, messages) = unbounded();
    (Pushes(publish), messages)
}

/// Where the messages of a connection go.
pub(super) struct Pushes(Sender<Published>);

impl Pushes {
    /// Called by what moves the bytes: it must not wait.
    pub(super) fn push(&self, info: PushInfo) -> Result<(), NobodyListens> {
        let Some(published) = published(info) else {
            return Ok(());
        };
        self.0.try_send(published).map_err(|_| NobodyListens)
    }
}

/// Who listened has left.
pub(super) struct NobodyListens;

fn published(info: PushInfo) -> Option<Published> {
    let mut data = info.data.into_iter();
    match (info.kind, data.next()?, data.next()?) {
        (PushKind::Message, Value::BulkString(channel), Value::BulkString(payload)) => {
            Some(Published {
                channel: channel.into(),
                payload: payload.into(),
            })
        }
        _ => None,
    }
}

pub(super) fn listening(subscriber: Subscriber, messages: Receiver<Published>) -> Listening {
    Listening::new(Arc::new(subscriber), messages)
}
