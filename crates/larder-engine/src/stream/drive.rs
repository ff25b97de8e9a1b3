//! Running a source.

use std::fmt::{self, Display};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use futures_lite::future::yield_now;
use futures_lite::{Stream, StreamExt};
use larder_core::{LoadError, LoadErrorKind, guard};

use super::log::Log;
use super::series::Series;
use crate::answer::Answer;

/// After so many elements others get a turn, even if the source never waits: else they would see
/// the first when the last is there.
const TURN: usize = 32;

/// What starts a source: a closure that makes the stream.
pub trait Drive<V: Series>: Send + 'static {
    /// Runs the source to its end.
    #[doc(hidden)]
    fn drive(self, inlet: Inlet<V>) -> impl Future<Output = Driven<V>> + Send + 'static;
}

impl<V, B, S, E> Drive<V> for B
where
    V: Series,
    B: FnOnce() -> S + Send + 'static,
    S: Stream<Item = Result<V::Item, E>> + Send + 'static,
    E: Display + Send + Sync + 'static,
{
    async fn drive(self, inlet: Inlet<V>) -> Driven<V> {
        inlet.run(self).await
    }
}

/// A source that borrows of what its own future holds.
#[derive(Debug)]
pub struct Own<D>(pub(crate) D);

impl<V, D, F> Drive<V> for Own<D>
where
    V: Series,
    D: FnOnce(Inlet<V>) -> F + Send + 'static,
    F: Future<Output = Driven<V>> + Send + 'static,
{
    async fn drive(self, inlet: Inlet<V>) -> Driven<V> {
        (self.0)(inlet).await
    }
}

/// Where a source's elements go.
pub struct Inlet<V: Series>(Arc<Log<V>>);

impl<V: Series> Inlet<V> {
    pub(super) fn new(log: &Arc<Log<V>>) -> Self {
        Self(Arc::clone(log))
    }

    /// Runs the source to its end, element by element.
    pub async fn run<S, E>(self, source: impl FnOnce() -> S) -> Driven<V>
    where
        S: Stream<Item = Result<V::Item, E>>,
        E: Display + Send + Sync + 'static,
    {
        let mut source = pin!(source());
        let mut given = 0_usize;
        while let Some(item) = source.next().await {
            let pushed = match item {
                Ok(item) => self.0.push(item).await,
                Err(error) => {
                    let error = LoadError::source(error);
                    self.0.fail(&error);
                    return guard!(KeptWhole, Driven(Err(error)), self.ended());
                }
            };
            if !pushed {
                return Driven(Err(too_many()));
            }
            if given % TURN == 0 {
                yield_now().await;
            }
            given += 1;
        }
        self.ended()
    }

    fn ended(&self) -> Driven<V> {
        let value = self.0.complete().map(|items| Arc::new(V::of(items)));
        Driven(value.ok_or_else(too_many))
    }
}

impl<V: Series> fmt::Debug for Inlet<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inlet")
    }
}

/// For those who wait for the whole value: they load it for themselves.
fn too_many() -> LoadError {
    let text = "the stream has more elements than the cache keeps of one";
    LoadError::new(LoadErrorKind::HandedOver, text)
}

/// What became of a source: its elements as one value.
pub struct Driven<V>(Result<Arc<V>, LoadError>);

impl<V> Driven<V> {
    pub(super) fn failed(error: LoadError) -> Self {
        Self(Err(error))
    }

    pub(super) fn error(self) -> Option<LoadError> {
        self.0.err()
    }
}

impl<V> fmt::Debug for Driven<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Driven")
    }
}

/// Marks what a driven source gives.
#[derive(Debug)]
#[non_exhaustive]
pub enum ByStream {}

impl<V> Answer<V, ByStream> for Driven<V> {
    type Kept = Arc<V>;
    const FALLIBLE: bool = true;
    const ABSENCE: bool = false;

    fn ok(&self) -> Option<&Arc<V>> {
        self.0.as_ref().ok()
    }

    fn split(self) -> Result<Option<Arc<V>>, LoadError> {
        self.0.map(Some)
    }

    fn answer(value: Option<Arc<V>>) -> Option<Self> {
        value.map(|value| Self(Ok(value)))
    }

    fn kept(value: Option<Arc<V>>) -> Option<Arc<V>> {
        value
    }
}
