//! The connection that hears what is published.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ::redis::Client;
use ::redis::aio::{PubSubSink, PubSubStream};
use bytes::Bytes;
use futures_lite::StreamExt;
use larder_core::Runtime;

use super::ConnectError;
use crate::wire::Ear;

/// The connection that hears what is published. It ends with its last owner.
pub(super) struct Hearing {
    sink: PubSubSink,
    ears: Arc<Ears>,
    runtime: Arc<dyn Runtime>,
}

/// Who hears which channel.
#[derive(Default)]
struct Ears {
    all: Mutex<HashMap<Bytes, Vec<Weak<dyn Ear>>>>,
    /// Held while an ear is told something: one thing at a time.
    telling: Mutex<()>,
}

impl Hearing {
    pub(super) async fn open(
        client: &Client,
        runtime: Arc<dyn Runtime>,
    ) -> Result<Self, ConnectError> {
        let connection = client.get_async_pubsub().await.map_err(ConnectError::new)?;
        let (sink, stream) = connection.split();
        let ears = Arc::new(Ears::default());
        runtime.spawn(Box::pin(hear(stream, Arc::clone(&ears))));
        Ok(Self {
            sink,
            ears,
            runtime,
        })
    }

    pub(super) fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        self.ears.add(channel.clone(), Weak::clone(&ear));
        let ears = Arc::clone(&self.ears);
        let mut sink = self.sink.clone();
        self.runtime.spawn(Box::pin(async move {
            let subscribed = sink.subscribe(&channel[..]).await;
            ears.tell(ear.upgrade(), |ear| match subscribed {
                Ok(()) => ear.ready(),
                Err(_) => ear.lost(),
            });
        }));
    }
}

/// Gives out what arrives, until the connection ends.
async fn hear(mut stream: PubSubStream, ears: Arc<Ears>) {
    while let Some(message) = stream.next().await {
        let payload = Bytes::copy_from_slice(message.get_payload_bytes());
        let channel = message.get_channel_name().as_bytes();
        ears.tell(ears.of(channel), |ear| ear.message(payload.clone()));
    }
    ears.tell(ears.all(), |ear| ear.lost());
}

impl Ears {
    fn add(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        lock(&self.all).entry(channel).or_default().push(ear);
    }

    fn of(&self, channel: &[u8]) -> Vec<Arc<dyn Ear>> {
        let mut all = lock(&self.all);
        let Some(ears) = all.get_mut(channel) else {
            return Vec::new();
        };
        ears.retain(|ear| ear.strong_count() > 0);
        ears.iter().filter_map(Weak::upgrade).collect()
    }

    fn all(&self) -> Vec<Arc<dyn Ear>> {
        let all = lock(&self.all);
        all.values().flatten().filter_map(Weak::upgrade).collect()
    }

    fn tell(&self, ears: impl IntoIterator<Item = Arc<dyn Ear>>, what: impl Fn(&dyn Ear)) {
        let telling = lock(&self.telling);
        for ear in ears {
            what(&*ear);
        }
        drop(telling);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
