//! What one server publishes.

use std::sync::Arc;

use ::redis::{PushInfo, PushKind, Value};
use smol::channel::{Receiver, Sender, bounded};

use super::subscriber::Subscriber;
use crate::connection::listening::{Listening, Published};

/// Where the messages of a connection go, and where they come out. It ends with the connection.
pub(super) fn channel() -> (Pushes, Receiver<Published>) {
    let (publish, messages) = bounded(MOST);
    (Pushes(publish), messages)
}

/// So many messages wait for who listens. One whose executor is blocked for longer loses the connection:
/// what it has not heard then counts as lost, and takes no memory.
pub(super) const MOST: usize = 1 << 14;

/// Where the messages of a connection go.
pub(super) struct Pushes(Sender<Published>);

impl Pushes {
    /// Called by what moves the bytes: it must not wait.
    ///
    /// # Errors
    /// Who listened has left, or too much waits for it.
    pub(super) fn push(&self, info: PushInfo) -> Result<(), NobodyListens> {
        let mut published = published(info).into_iter();
        published.try_for_each(|one| {
            self.0.try_send(one).map_err(|_| {
                self.0.close();
                NobodyListens
            })
        })
    }
}

/// Who listened has left, or does not take what comes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_take_what_comes_hears_so_much_of_it_and_then_the_end() {
        let (pushes, messages) = channel();
        let flush = || PushInfo {
            kind: PushKind::Invalidate,
            data: vec![Value::Nil],
        };
        for _ in 0..MOST {
            assert!(pushes.push(flush()).is_ok());
        }
        assert!(pushes.push(flush()).is_err());
        for _ in 0..MOST {
            assert_eq!(messages.try_recv(), Ok(Published::Flushed));
        }
        assert!(messages.is_closed() && messages.try_recv().is_err());
        assert!(pushes.push(flush()).is_err(), "for good");
    }
}
