//! What is published, and who hears it.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_lite::stream::poll_fn;
use larder_core::BoxFuture;
use larder_kit::Gate;
use larder_redis::{ConnectError, ConnectErrorKind, Control, Ear, Listening, Published};
use smol::channel::{Receiver, Sender, unbounded};

/// The other end of a listening: publishes and acknowledges as a test says.
pub(crate) struct Heard {
    pub(crate) acknowledges: Gate,
    pub(crate) life: Gate,
    /// What it says to who wants to hear of writes: its refusal.
    pub(crate) refuses: Mutex<Option<&'static str>>,
    /// After how many prefixes the connection breaks.
    pub(crate) breaks: Mutex<Option<usize>>,
    channels: Mutex<Vec<Bytes>>,
    prefixes: Mutex<Vec<Bytes>>,
    publish: Mutex<Option<Sender<Published>>>,
}

impl Heard {
    pub(crate) fn new() -> (Arc<Self>, Listening) {
        let (publish, messages) = unbounded();
        let heard = Arc::new(Self {
            acknowledges: Gate::opened(),
            life: Gate::opened(),
            refuses: Mutex::default(),
            breaks: Mutex::default(),
            channels: Mutex::default(),
            prefixes: Mutex::default(),
            publish: Mutex::new(Some(publish)),
        });
        let listening = Listening::new(heard.clone(), stream(messages));
        (heard, listening)
    }

    /// Publishes, and says whether the channel is subscribed to.
    pub(crate) fn publish(&self, channel: &'static str, payload: &'static str) -> bool {
        let channel = Bytes::from(channel);
        let subscribed = self.channels.lock().unwrap().contains(&channel);
        let publish = self.publish.lock().unwrap().clone();
        if let Some(publish) = publish.filter(|_| subscribed) {
            let payload = payload.into();
            publish
                .try_send(Published::Message { channel, payload })
                .unwrap();
        }
        subscribed
    }

    /// Tells of a write, or of a flush.
    pub(crate) fn tell(&self, published: Published) {
        let publish = self.publish.lock().unwrap().clone();
        publish.unwrap().try_send(published).unwrap();
    }

    pub(crate) fn prefixes(&self) -> Vec<Bytes> {
        self.prefixes.lock().unwrap().clone()
    }

    /// Ends the connection.
    pub(crate) fn cut(&self) {
        self.publish.lock().unwrap().take();
    }

    pub(crate) fn channels(&self) -> Vec<Bytes> {
        let mut channels = self.channels.lock().unwrap().clone();
        channels.sort();
        channels
    }
}

fn stream(messages: Receiver<Published>) -> impl futures_lite::Stream<Item = Published> + Send {
    let mut messages = Box::pin(messages);
    poll_fn(move |context| futures_lite::Stream::poll_next(messages.as_mut(), context))
}

impl Control for Heard {
    fn subscribe<'a>(&'a self, channels: &'a [Bytes]) -> BoxFuture<'a, Result<(), ConnectError>> {
        Box::pin(async move {
            self.acknowledges.wait().await;
            if self.publish.lock().unwrap().is_none() {
                return Err(ConnectErrorKind::Lost.into());
            }
            self.channels.lock().unwrap().extend_from_slice(channels);
            Ok(())
        })
    }

    fn track<'a>(&'a self, prefix: &'a Bytes) -> BoxFuture<'a, Result<(), ConnectError>> {
        Box::pin(async move {
            if let Some(code) = *self.refuses.lock().unwrap() {
                return Err(ConnectError::refused(code));
            }
            if *self.breaks.lock().unwrap() == Some(self.prefixes.lock().unwrap().len()) {
                return Err(ConnectErrorKind::Lost.into());
            }
            self.prefixes.lock().unwrap().push(prefix.clone());
            Ok(())
        })
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), ConnectError>> {
        Box::pin(async {
            self.life.wait().await;
            Ok(())
        })
    }
}

/// Writes down what it is told.
#[derive(Default)]
pub(crate) struct Listener(Mutex<Vec<String>>);

impl Listener {
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    fn note(&self, what: &str) {
        self.0.lock().unwrap().push(what.to_owned());
    }
}

impl Ear for Listener {
    fn message(&self, payload: Bytes) {
        self.note(std::str::from_utf8(&payload).unwrap());
    }

    fn lost(&self) {
        self.note("lost");
    }

    fn ready(&self) {
        self.note("ready");
    }
}
