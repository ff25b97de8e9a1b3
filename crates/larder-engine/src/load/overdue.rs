//! Loads that end by their deadline.

use std::sync::Arc;

use larder_core::{Key, LoadError, LoadErrorKind, Moment};

use super::Place;
use crate::cache::Inner;

/// Stands in a detached load and sees it dropped at its deadline: its callers, who hear of that,
/// may all have left, and the source is to be left alone all the same.
pub(crate) struct Overdue<K: Key, V: Send + Sync + 'static, P: Places<K>> {
    inner: Arc<Inner<K, V>>,
    places: P,
    end: Moment,
    ended: bool,
}

/// What a load is for: a key, or several.
pub(crate) trait Places<K: Key> {
    fn places(&self) -> impl Iterator<Item = &Place<K>>;
}

impl<K: Key> Places<K> for Place<K> {
    fn places(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self)
    }
}

impl<K: Key, V: Send + Sync + 'static, P: Places<K>> Overdue<K, V, P> {
    pub(crate) fn new(inner: &Arc<Inner<K, V>>, places: P, end: Moment) -> Self {
        Self {
            inner: Arc::clone(inner),
            places,
            end,
            ended: false,
        }
    }

    pub(crate) fn inner(&self) -> &Inner<K, V> {
        &self.inner
    }

    pub(crate) fn places(&self) -> &P {
        &self.places
    }

    /// The load has ended by itself.
    pub(crate) fn ended(mut self) {
        self.ended = true;
    }
}

impl<K: Key, V: Send + Sync + 'static, P: Places<K>> Drop for Overdue<K, V, P> {
    fn drop(&mut self) {
        if !self.ended && self.inner.near.now() >= self.end {
            let late = LoadError::new(LoadErrorKind::TimedOut, "the load took too long");
            for place in self.places.places() {
                self.inner.leave_alone(place, &late);
            }
        }
    }
}
