//! Loads that end by their deadline.

use std::sync::Arc;

use larder_core::{Key, LoadError, LoadErrorKind, Moment};

use super::Place;
use crate::cache::Inner;

/// Stands in a detached load and sees it dropped at its deadline: its callers, who hear of that,
/// may all have left, and the source is to be left alone all the same.
pub(super) struct Overdue<K: Key, V: Send + Sync + 'static> {
    inner: Arc<Inner<K, V>>,
    place: Place<K>,
    end: Moment,
    ended: bool,
}

impl<K: Key, V: Send + Sync + 'static> Overdue<K, V> {
    pub(super) fn new(inner: &Arc<Inner<K, V>>, place: Place<K>, end: Moment) -> Self {
        Self {
            inner: Arc::clone(inner),
            place,
            end,
            ended: false,
        }
    }

    pub(super) fn inner(&self) -> &Inner<K, V> {
        &self.inner
    }

    pub(super) fn place(&self) -> &Place<K> {
        &self.place
    }

    /// The load has ended by itself.
    pub(super) fn ended(mut self) {
        self.ended = true;
    }
}

impl<K: Key, V: Send + Sync + 'static> Drop for Overdue<K, V> {
    fn drop(&mut self) {
        if !self.ended && self.inner.near.now() >= self.end {
            let late = LoadError::new(LoadErrorKind::TimedOut, "the load took too long");
            self.inner.leave_alone(&self.place, &late);
        }
    }
}
