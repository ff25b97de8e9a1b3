//! Running a source.

use std::fmt::Display;
use std::pin::pin;
use std::sync::Arc;

use futures_lite::future::yield_now;
use futures_lite::{Stream, StreamExt};
use larder_core::{LoadError, LoadErrorKind};

use super::log::Log;
use super::series::Series;
use crate::answer::Answer;

/// After so many elements others get a turn, even if the source never waits: else they would see
/// the first when the last is there.
const TURN: usize = 32;

/// What became of a source: its elements as one value.
pub(super) struct Driven<V>(Result<Arc<V>, LoadError>);

/// Marks what a driven source gives.
pub(super) enum ByStream {}

/// Runs the source to its end, element by element into the log.
pub(super) async fn drive<V, S, E>(source: impl FnOnce() -> S, log: &Log<V>) -> Driven<V>
where
    V: Series,
    S: Stream<Item = Result<V::Item, E>>,
    E: Display + Send + Sync + 'static,
{
    let mut source = pin!(source());
    let mut given = 0_usize;
    while let Some(item) = source.next().await {
        let pushed = match item {
            Ok(item) => log.push(item).await,
            Err(error) => {
                let error = LoadError::source(error);
                log.fail(&error);
                return Driven(Err(error));
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
    let items = log.complete();
    Driven(
        items
            .map(|items| Arc::new(V::of(items)))
            .ok_or_else(too_many),
    )
}

/// For those who wait for the whole value: they load it for themselves.
fn too_many() -> LoadError {
    let text = "the stream has more elements than the cache keeps of one";
    LoadError::new(LoadErrorKind::HandedOver, text)
}

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
