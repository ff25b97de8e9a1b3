//! The connection that hears what is published, and never gives up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use bytes::Bytes;
use futures_lite::StreamExt;
use futures_lite::future::or;
use larder_core::{Clock, Runtime};

use super::backoff::Backoff;
use super::dial::{Dial, caught};
use super::ears::Ears;
use super::listening::{Control, Listening, Published};
use super::settings::Pace;
use super::tally::Tally;
use super::topic::Topic;
use super::tracking::Tracking;
use crate::bounded::bounded;
use crate::tell::tell;
use crate::wire::Ear;
use crate::{ConnectError, ConnectErrorKind, log};

/// The connection that hears what is published. There is none before somebody wants to hear; it ends
/// with its owner.
///
/// One task makes it, gives out what comes, and makes it again when it breaks: so an ear is told one
/// thing at a time.
pub(super) struct Hearing(Arc<Inner>);

struct Inner {
    dial: Arc<dyn Dial>,
    runtime: Arc<dyn Runtime>,
    clock: Clock,
    pace: Pace,
    ears: Ears,
    hears: AtomicBool,
    tally: Arc<Tally>,
}

impl Hearing {
    pub(super) fn start(
        dial: Arc<dyn Dial>,
        runtime: Arc<dyn Runtime>,
        pace: Pace,
        tally: Arc<Tally>,
    ) -> Self {
        let inner = Arc::new(Inner {
            dial,
            clock: runtime.clock(),
            runtime,
            pace,
            ears: Ears::default(),
            hears: AtomicBool::new(false),
            tally,
        });
        let task = Arc::clone(&inner);
        inner.runtime.spawn(Box::pin(async move {
            or(task.ears.closed(), task.supervise()).await;
        }));
        Self(inner)
    }

    pub(super) fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        self.0.ears.add(Topic::Channel(channel), ear);
    }

    pub(super) fn track(&self, prefix: Bytes, ear: Weak<dyn Ear>) {
        self.0.ears.add(Topic::Prefix(prefix), ear);
    }

    /// Whether what is published is heard now.
    pub(super) fn hears(&self) -> bool {
        self.0.hears.load(Ordering::Relaxed)
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.0.ears.close();
    }
}

impl Inner {
    async fn supervise(&self) {
        let mut backoff = Backoff::new(self.pace.backoff);
        let mut tracking = Tracking::default();
        let mut last = None;
        loop {
            self.ears.wanted().await;
            let began = self.clock.now();
            let attempt = caught(self.attempt(&mut tracking)).await;
            let why = match attempt.and_then(|made| made) {
                Ok(listening) => {
                    last = None;
                    self.tally.listening();
                    log::hearing();
                    self.hears.store(true, Ordering::Relaxed);
                    let heard = caught(self.hear(listening, &mut tracking)).await;
                    let why = heard.unwrap_or_else(|panicked| panicked);
                    self.hears.store(false, Ordering::Relaxed);
                    self.tally.replaced(&why);
                    tell(self.ears.all(), |ear| ear.lost());
                    tracking.restart();
                    why
                }
                Err(why) => {
                    tracking.lost(&self.ears);
                    self.tally.failed(&why);
                    why
                }
            };
            if last.as_ref() != Some(&why) {
                log::deaf(&why);
                last = Some(why);
            }
            if self.clock.now().since(began) >= self.pace.heartbeat + self.pace.connect {
                backoff.reset();
            }
            self.runtime
                .sleep(backoff.wait(self.runtime.random()))
                .await;
        }
    }

    /// One attempt, subscriptions included.
    async fn attempt(&self, tracking: &mut Tracking) -> Result<Listening, ConnectError> {
        let attempt = async {
            let listening = self.dial.listen().await?;
            tracking.restart();
            self.subscribe_all(&*listening.control).await?;
            tracking.add(&self.ears, &*listening.control).await?;
            Ok(listening)
        };
        let made = bounded(&*self.runtime, self.pace.connect, attempt).await;
        made.unwrap_or_else(|| Err(ConnectErrorKind::Silent.into()))
    }

    async fn subscribe_all(&self, control: &dyn Control) -> Result<(), ConnectError> {
        let channels = self.ears.channels();
        if channels.is_empty() {
            return Ok(());
        }
        control.subscribe(&channels).await?;
        for channel in channels {
            tell(self.ears.of(&Topic::Channel(channel)), |ear| ear.ready());
        }
        Ok(())
    }

    /// Gives out what comes, until the connection is of no use any more.
    async fn hear(&self, mut listening: Listening, tracking: &mut Tracking) -> ConnectError {
        let control = listening.control;
        let messages = async {
            while let Some(published) = listening.messages.next().await {
                self.give(published);
            }
            ConnectErrorKind::Lost.into()
        };
        or(messages, self.watch(&*control, tracking)).await
    }

    fn give(&self, published: Published) {
        match published {
            Published::Message { channel, payload } => {
                let ears = self.ears.of(&Topic::Channel(channel));
                tell(ears, |ear| ear.message(payload.clone()));
            }
            Published::Written(name) => {
                let ears = self.ears.of_prefixes(|prefix| name.starts_with(prefix));
                tell(ears, |ear| ear.message(name.clone()));
            }
            Published::Flushed => tell(self.ears.of_prefixes(|_| true), |ear| {
                ear.lost();
                ear.ready();
            }),
        }
    }

    /// Takes in who comes later, and asks for a sign of life once a heartbeat.
    async fn watch(&self, control: &dyn Control, tracking: &mut Tracking) -> ConnectError {
        let mut beat = self.runtime.sleep(self.pace.heartbeat);
        loop {
            let news = async {
                self.ears.news().await;
                false
            };
            let due = async {
                (&mut beat).await;
                true
            };
            let is_due = or(news, due).await;
            let done = async {
                if is_due {
                    control.ping().await?;
                } else {
                    self.take_in(control, tracking).await?;
                }
                tracking.add(&self.ears, control).await
            };
            match bounded(&*self.runtime, self.pace.patience, done).await {
                Some(Ok(())) => {}
                Some(Err(why)) => return why,
                None => return ConnectErrorKind::Silent.into(),
            }
            if is_due {
                beat = self.runtime.sleep(self.pace.heartbeat);
            }
        }
    }

    /// Subscribes for who is new.
    async fn take_in(
        &self,
        control: &dyn Control,
        tracking: &Tracking,
    ) -> Result<(), ConnectError> {
        let new = self.ears.take_new();
        let channels = new.iter().filter_map(|(topic, _)| topic.channel());
        let channels: Vec<_> = channels.cloned().collect();
        if !channels.is_empty() {
            control.subscribe(&channels).await?;
        }
        let heard = new
            .into_iter()
            .filter(|(topic, _)| topic.channel().is_some() || tracking.tells(topic));
        tell(heard.filter_map(|(_, ear)| ear.upgrade()), |ear| {
            ear.ready();
        });
        Ok(())
    }
}
