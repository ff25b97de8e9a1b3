//! A call that is given elements.

use std::fmt;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_lite::Stream;
use larder_core::{BoxFuture, Key, LoadError};

use super::drive::Drive;
use super::find::Found;
use super::follow::{Follower, Given};
use super::past::Past;
use super::series::Series;
use crate::cache::Inner;
use crate::call::Call;
use crate::load::Ask;
use crate::outcome::Outcome;

/// The elements of a key, by [`Cache::get_or_stream`](crate::Cache::get_or_stream).
///
/// Nothing happens before it is polled. Dropped, it leaves the source running, unless the call said
/// otherwise. An error is the last that it gives.
///
/// The call counts once, when it gives its first element or its end; dropped before, it counts as
/// abandoned.
#[must_use = "streams do nothing unless polled"]
pub struct Streamed<K: Key, V: Series, D> {
    inner: Arc<Inner<K, V>>,
    state: State<K, V, D>,
    outcome: Option<Outcome>,
}

enum State<K, V: Series, D> {
    Asked(K, Ask, D),
    Finding(BoxFuture<'static, Result<Found<V>, LoadError>>),
    Held(Arc<V>, usize),
    Following(Follower<V>),
    Past(Past<V>),
    Over,
}

// Nothing in it is pinned in place.
impl<K: Key, V: Series, D> Unpin for Streamed<K, V, D> {}

impl<K: Key, V: Series, D> Streamed<K, V, D> {
    pub(super) fn new(inner: Arc<Inner<K, V>>, key: K, ask: Ask, source: D) -> Self {
        Self {
            inner,
            state: State::Asked(key, ask, source),
            outcome: None,
        }
    }

    /// Why the elements are what they are; `None` before the first of them, or the end, is there.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Counts the call, once.
    fn count(&mut self, outcome: Outcome) {
        if self.outcome.is_none() {
            self.outcome = Some(outcome);
            Call::begin(&self.inner.name, &self.inner.counters).end(outcome);
        }
    }

    fn failed(&mut self, error: LoadError) -> Poll<Option<Result<V::Item, LoadError>>> {
        self.count(Outcome::Failed { kind: error.kind() });
        self.state = State::Over;
        Poll::Ready(Some(Err(error)))
    }

    fn over(&mut self) -> Poll<Option<Result<V::Item, LoadError>>> {
        self.state = State::Over;
        Poll::Ready(None)
    }

    fn found(&mut self, found: Found<V>) {
        self.state = match found {
            Found::Following(follower) => State::Following(follower),
            Found::Held(value, outcome) => {
                self.count(outcome);
                State::Held(value, 0)
            }
            Found::Past(elements) => State::Past(elements),
        };
    }

    fn poll_following(
        &mut self,
        given: Given<V>,
        outcome: Outcome,
    ) -> Poll<Option<Result<V::Item, LoadError>>> {
        match given {
            Given::Failed(error) => self.failed(error),
            Given::Item(item) => {
                self.count(outcome);
                Poll::Ready(Some(Ok(V::Item::clone(&item))))
            }
            Given::Over => {
                self.count(outcome);
                self.over()
            }
            Given::Held(value, outcome) => {
                self.count(outcome);
                let first = value.item(0);
                self.state = State::Held(value, 1);
                Poll::Ready(first.map(Ok))
            }
        }
    }
}

impl<K: Key, V: Series, D: Drive<V>> Stream for Streamed<K, V, D> {
    type Item = Result<V::Item, LoadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            match &mut this.state {
                State::Over => return Poll::Ready(None),
                State::Asked(..) => this.ask(),
                State::Finding(finding) => match ready!(finding.as_mut().poll(cx)) {
                    Ok(found) => this.found(found),
                    Err(error) => return this.failed(error),
                },
                State::Held(value, at) => {
                    let item = value.item(*at);
                    *at += 1;
                    return Poll::Ready(item.map(Ok));
                }
                State::Following(follower) => {
                    let given = ready!(follower.poll_next(cx));
                    let outcome = follower.outcome();
                    return this.poll_following(given, outcome);
                }
                State::Past(source) => match ready!(source.poll_next(cx)) {
                    Some(Err(error)) => return this.failed(error),
                    item => {
                        this.count(Outcome::BYPASSED);
                        let item = item.and_then(Result::ok);
                        return Poll::Ready(item.map(|item| Ok(V::Item::clone(&item))));
                    }
                },
            }
        }
    }
}

impl<K: Key, V: Series, D: Drive<V>> Streamed<K, V, D> {
    fn ask(&mut self) {
        let State::Asked(key, ask, source) = mem::replace(&mut self.state, State::Over) else {
            return;
        };
        let held = self
            .inner
            .look(&key, true, |value| ask.mode.looks() && value.is_some());
        self.state = match held {
            Some((Some(value), outcome)) => {
                // The look has counted it.
                self.outcome = Some(outcome);
                State::Held(value, 0)
            }
            _ => {
                let inner = Arc::clone(&self.inner);
                State::Finding(Box::pin(inner.find_stream(key, ask, source)))
            }
        };
    }
}

impl<K: Key, V: Series, D> Drop for Streamed<K, V, D> {
    fn drop(&mut self) {
        let begun = !matches!(self.state, State::Asked(..) | State::Over);
        if begun && self.outcome.is_none() {
            drop(Call::begin(&self.inner.name, &self.inner.counters));
        }
    }
}

impl<K: Key, V: Series, D> fmt::Debug for Streamed<K, V, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Streamed");
        out.field("outcome", &self.outcome).finish_non_exhaustive()
    }
}
