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
        let mut published = published(info).into_iter();
        published.try_for_each(|one| self.0.try_send(one).map_err(|_| NobodyListens))
    }
}

/// Who listened has left.
pub(super) struct NobodyListens;

fn published(info: PushInfo) -> Vec<Published> {
    let mut data = info.data.into_iter();
    match (info.kind, data.next(), data.next()) {
        (PushKind::Message, Some(Value::BulkString(channel)), Some(Value::BulkString(payload))) => {
            let (channel, payload) = (channel.into(), payload.into());
            vec![Published::Message { channel, payload }]
        }
        (PushKind::Invalidate, Some(Value::Array(names)), None) => {
            names.into_iter().map(written).collect()
        }
        // Nil, for all of them.
        (PushKind::Invalidate, ..) => vec![Published::Flushed],
        _ => Vec::new(),
    }
}

/// A name that cannot be read may have been any.
fn written(name: Value) -> Published {
    match name {
        Value::BulkString(name) => Published::Written(name.into()),
        _ => Published::Flushed,
    }
}

pub(super) fn listening(subscriber: Subscriber, messages: Receiver<Published>) -> Listening {
    Listening::new(Arc::new(subscriber), messages)
}
