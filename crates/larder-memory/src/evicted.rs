//! What the map gives up.

use quick_cache::Lifecycle;

/// Carries what an insertion pushes out to where no part of the map is locked, and drops it there:
/// dropping a value may take long, panic, or come back to the same cache.
pub(crate) struct Evicted;

impl Clone for Evicted {
    fn clone(&self) -> Self {
        Self
    }
}

impl<K, E> Lifecycle<K, E> for Evicted {
    type RequestState = Vec<(K, E)>;

    fn on_evict(&self, state: &mut Self::RequestState, key: K, entry: E) {
        state.push((key, entry));
    }
}
