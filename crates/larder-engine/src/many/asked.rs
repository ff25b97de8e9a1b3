//! The keys of a call.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

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

/// Each key once, in the order in which they were listed, with its last value.
pub(super) fn last_of_each<K: Key, T>(listed: impl Iterator<Item = (K, T)>) -> Vec<(K, T)> {
    let mut places: HashMap<K, (usize, T)> = HashMap::new();
    for (key, value) in listed {
        let next = places.len();
        match places.entry(key) {
            Entry::Occupied(mut held) => held.get_mut().1 = value,
            Entry::Vacant(free) => {
                free.insert((next, value));
            }
        }
    }
    let mut values: Vec<_> = places.into_iter().collect();
    values.sort_unstable_by_key(|(_, (place, _))| *place);
    let values = values.into_iter();
    values.map(|(key, (_, value))| (key, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the order of a map it would be right once in many ages.
    #[test]
    fn m1_keys_of_a_change_keep_their_order_and_the_last_value_of_each_counts() {
        let listed = (0..100_u64).map(|key| (key, key));
        let again = [(7, 700), (3, 300)];
        let mut values = listed.clone().collect::<Vec<_>>();
        values[7].1 = 700;
        values[3].1 = 300;
        assert_eq!(last_of_each(listed.chain(again)), values);
        let asked = Asked::<u64>::of([5_u64, 9, 5, 1].iter());
        assert_eq!(asked.keys, [5, 9, 1]);
    }
}
