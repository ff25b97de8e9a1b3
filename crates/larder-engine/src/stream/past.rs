//! A source past the cache.

use std::fmt::Display;
use std::pin::Pin;

use futures_lite::{Stream, StreamExt};
use larder_core::LoadError;

use super::series::Series;

/// Elements as they come.
pub(super) type Elements<V> =
    Pin<Box<dyn Stream<Item = Result<<V as Series>::Item, LoadError>> + Send>>;

/// The source alone, in the call; its first error ends it, as in the cache.
pub(super) fn past<V, S, E>(source: S) -> Elements<V>
where
    V: Series,
    S: Stream<Item = Result<V::Item, E>> + Send + 'static,
    E: Display + Send + Sync + 'static,
{
    let elements = source.map(|item| item.map_err(LoadError::source));
    Box::pin(elements)
}
