//! One who follows a running source.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use event_listener::EventListener;
use larder_core::{BoxFuture, LoadError};
use larder_flight::Waiter;

use super::log::{Log, Next};
use super::series::Series;
use crate::load::Landed;
use crate::outcome::Outcome;

/// One who follows a running source, from its start.
pub(super) struct Follower<V: Series> {
    log: Arc<Log<V>>,
    reader: u64,
    led: bool,
    /// The load's own end: it tells of what the log cannot, the deadline and panics. `None` once it
    /// has told.
    end: Option<BoxFuture<'static, Result<Landed<V>, LoadError>>>,
    grown: Option<EventListener>,
    /// What it was given when it waited for the first.
    first: Option<Given<V>>,
}

/// What one who follows is given.
pub(super) enum Given<V: Series> {
    Item(Arc<V::Item>),
    /// All of it, without a source.
    Held(Arc<V>, Outcome),
    Failed(LoadError),
    Over,
}

impl<V: Series> Follower<V> {
    /// One who joins; `None` if the start is gone.
    pub(super) fn joined(log: Arc<Log<V>>, waiter: Waiter<Landed<V>>) -> Option<Self> {
        let reader = log.follow()?;
        Some(Self::at(log, reader, false, waiter))
    }

    /// The one who starts the source; its place is taken before that.
    pub(super) fn led(log: Arc<Log<V>>) -> impl FnOnce(Waiter<Landed<V>>) -> Self {
        let reader = log.follow().expect("nothing was given yet");
        move |waiter| Self::at(log, reader, true, waiter)
    }

    fn at(log: Arc<Log<V>>, reader: u64, led: bool, waiter: Waiter<Landed<V>>) -> Self {
        Self {
            log,
            reader,
            led,
            end: Some(Box::pin(waiter.wait())),
            grown: None,
            first: None,
        }
    }

    /// Why its elements are what they are.
    pub(super) fn outcome(&self) -> Outcome {
        if self.led {
            Outcome::Streamed
        } else {
            Outcome::Joined
        }
    }

    /// Waits for what it is given first.
    pub(super) async fn first(&mut self) -> Result<(), LoadError> {
        match poll_fn(|cx| self.poll_next(cx)).await {
            Given::Failed(error) => Err(error),
            given => {
                self.first = Some(given);
                Ok(())
            }
        }
    }

    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Given<V>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(first);
        }
        loop {
            match self.log.next(self.reader) {
                Next::Item(item) => return Poll::Ready(Given::Item(item)),
                Next::Over => return Poll::Ready(Given::Over),
                Next::Failed(error) => return Poll::Ready(Given::Failed(error)),
                Next::NotYet => {}
            }
            let Some(grown) = &mut self.grown else {
                // Listens before it looks again.
                self.grown = Some(self.log.grown());
                continue;
            };
            if Pin::new(grown).poll(cx).is_ready() {
                self.grown = None;
                continue;
            }
            if let Some(given) = ready!(self.poll_end(cx)) {
                return Poll::Ready(given);
            }
        }
    }

    /// What the load's end gives. The log had said nothing before it; it may have since.
    ///
    /// A load that has ended well without a word in the log needed no source: its value was held.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Option<Given<V>>> {
        let Some(end) = &mut self.end else {
            return Poll::Ready(Some(Given::Over));
        };
        let ended = ready!(end.as_mut().poll(cx));
        self.end = None;
        Poll::Ready(match (ended, self.log.next(self.reader)) {
            (_, Next::Item(item)) => Some(Given::Item(item)),
            (Err(error), Next::NotYet) => Some(Given::Failed(error)),
            (Ok(landed), Next::NotYet) => Some(self.held(landed.answer())),
            _ => None,
        })
    }

    fn held(&self, (value, outcome): (Option<Arc<V>>, Outcome)) -> Given<V> {
        match value {
            Some(value) if self.led => Given::Held(value, outcome),
            Some(value) => Given::Held(value, Outcome::Joined),
            None => Given::Over,
        }
    }
}

impl<V: Series> Drop for Follower<V> {
    fn drop(&mut self) {
        self.log.leave(self.reader);
    }
}
