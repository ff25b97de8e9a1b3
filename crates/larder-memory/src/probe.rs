//! A borrowed form of a key, as the map wants it.

use std::hash::{Hash, Hasher};

use larder_core::Lookup;
use quick_cache::Equivalent;

/// A borrowed form of a key, as the map wants it: hashes as the form, equals what the form stands
/// for.
pub(crate) struct Probe<'a, Q: ?Sized>(pub(crate) &'a Q);

impl<Q: Hash + ?Sized> Hash for Probe<'_, Q> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<K, Q: Lookup<K> + ?Sized> Equivalent<K> for Probe<'_, Q> {
    #[inline]
    fn equivalent(&self, key: &K) -> bool {
        self.0.same(key)
    }
}
