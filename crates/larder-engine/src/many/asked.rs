//! The keys of a call.

use std::collections::HashMap;

use larder_core::{Key, Lookup};

/// The keys of a call, each once, and where it was listed.
pub(super) struct Asked<K> {
    pub(super) keys: Vec<K>,
    listed: Vec<usize>,
}

impl<K: Key> Asked<K> {
    pub(super) fn of<'a, Q>(keys: impl IntoIterator<Item = &'a Q>) -> Self
    where
        Q: Lookup<K> + ?Sized + 'a,
    {
        let mut places: HashMap<K, usize> = HashMap::new();
        let listed = keys.into_iter().map(|key| {
            let next = places.len();
            *places.entry(key.to_key()).or_insert(next)
        });
        let listed = listed.collect();
        let mut keys: Vec<_> = places.into_iter().collect();
        keys.sort_unstable_by_key(|(_, place)| *place);
        let keys = keys.into_iter().map(|(key, _)| key).collect();
        Self { keys, listed }
    }

    /// The answers of the keys, as the keys were listed.
    pub(super) fn in_order<T: Clone>(&self, answers: Vec<T>) -> Vec<T> {
        if self.listed.len() == answers.len() {
            return answers;
        }
        self.listed.iter().map(|at| answers[*at].clone()).collect()
    }
}
