//! Functions that return streams.

use std::future::Future;

use futures_lite::{Stream, StreamExt};
use larder_core::{Key, LoadError};

use super::Place;
use crate::load::{Ask, Life};
use crate::mode::Mode;
use crate::stream::{Driven, Inlet, Own, Series, Streamed};

impl<K: Key, V: Series> Place<K, V> {
    /// The elements, by a source that is joined or started; `drive` gives them to its inlet and may
    /// borrow of what it holds. It ends with the last who reads if it `cancels`, and runs as if
    /// there were no cache where that is not `wanted`.
    pub fn stream<D, F>(self, cancels: bool, wanted: bool, drive: D) -> Streamed<K, V, Own<D>>
    where
        D: FnOnce(Inlet<V>) -> F + Send + 'static,
        F: Future<Output = Driven<V>> + Send + 'static,
    {
        let ask = Ask {
            terms: self.terms.map(|terms| *terms).unwrap_or_default(),
            life: if cancels { Life::Cancel } else { Life::Detach },
            mode: if wanted { Mode::On } else { Mode::Off },
            bypass: !wanted,
            ..Ask::default()
        };
        self.cache.stream(self.key, ask, Own(drive))
    }
}

/// Says the type of a stream's elements, so that the body need not.
pub fn stream_of<I, S: Stream<Item = I>>(items: S) -> S {
    items
}

/// The elements with the function's own error.
pub fn elements<T, E>(
    items: impl Stream<Item = Result<T, LoadError>> + Send + 'static,
    mut fail: impl FnMut(LoadError) -> Result<T, E> + Send + 'static,
) -> impl Stream<Item = Result<T, E>> + Send + 'static {
    items.map(move |item| item.or_else(&mut fail))
}
