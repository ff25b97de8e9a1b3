//! The bounds of a cache to be built.

use std::sync::Arc;

use larder_core::Key;
use larder_memory::Bound;

use super::CacheBuilder;
use crate::build_error::BuildError;

/// What was asked for.
pub(super) struct Bounds<K, V> {
    capacity: Option<usize>,
    weight: Option<Bound<K, V>>,
    pub(super) max_loads: usize,
    pub(super) max_stream: usize,
    pub(super) longest_key: Option<usize>,
}

impl<K, V> Default for Bounds<K, V> {
    fn default() -> Self {
        Self {
            capacity: None,
            weight: None,
            max_loads: 256,
            max_stream: 10_000,
            longest_key: None,
        }
    }
}

impl<K, V> Bounds<K, V> {
    /// The bound of the near tier, and the number of its slots: one an entry, so that a raise costs
    /// one neighbour on average.
    pub(super) fn build(&mut self) -> Result<(Bound<K, V>, usize), BuildError> {
        /// Of what is bounded by weight the number of entries is not known.
        const SLOTS_BY_WEIGHT: usize = 1 << 16;
        self.fits()?;
        let entries = self.capacity.unwrap_or(10_000);
        Ok(match self.weight.take() {
            Some(weight) => (weight, SLOTS_BY_WEIGHT),
            None => (Bound::Entries(entries), entries),
        })
    }

    fn fits(&self) -> Result<(), BuildError> {
        let no_weight = matches!(self.weight, Some(Bound::Weight { max: 0, .. }));
        let zeros = [
            ("capacity", self.capacity == Some(0)),
            ("weight", no_weight),
            ("max_loads", self.max_loads == 0),
            ("max_stream", self.max_stream == 0),
            ("max_key", self.longest_key == Some(0)),
        ];
        if let Some((setting, _)) = zeros.into_iter().find(|(_, zero)| *zero) {
            return Err(BuildError::new(setting, "must not be zero"));
        }
        if self.capacity.is_some() && self.weight.is_some() {
            let text = "says nothing beside `weight`, which bounds the same: leave one of them out";
            return Err(BuildError::new("capacity", text));
        }
        Ok(())
    }
}

impl<K: Key, V: Send + Sync + 'static> CacheBuilder<K, V> {
    /// Bounds the near tier by a number of entries, at least 1; 10,000 unless set.
    pub fn capacity(mut self, entries: usize) -> Self {
        self.bounds.capacity = Some(entries);
        self
    }

    /// Bounds the near tier by the sum of what `weigh` says of each value, in a unit of your
    /// choice, in the place of [`capacity`](Self::capacity). A weight of 0 counts as 1, one over
    /// `u32::MAX` as that (choose a coarser unit), and absence weighs 1. The tier has up to 8 parts,
    /// each with its share of `most`: a value of a tenth of `most` always fits, one heavier than its
    /// part is returned and not kept.
    ///
    /// `weigh` runs when a value is stored, under a lock of the cache: it must be cheap and must
    /// neither panic nor come back to the cache.
    pub fn weight(
        mut self,
        most: u64,
        weigh: impl Fn(&K, &V) -> u64 + Send + Sync + 'static,
    ) -> Self {
        let weigh = move |key: &K, value: Option<&V>| value.map_or(1, |value| weigh(key, value));
        self.bounds.weight = Some(Bound::Weight {
            max: most,
            weigh: Arc::new(weigh),
        });
        self
    }

    /// How many loads of this cache may run at once, at least 1; one more is refused with
    /// [`LoadErrorKind::Refused`](larder_core::LoadErrorKind::Refused).
    pub fn max_loads(mut self, loads: usize) -> Self {
        self.bounds.max_loads = loads;
        self
    }

    /// How many elements of one stream are kept, and held in memory while it runs, at least 1; one
    /// with more is passed through. For [`Cache::get_or_stream`](crate::Cache::get_or_stream).
    pub fn max_stream(mut self, elements: usize) -> Self {
        self.bounds.max_stream = elements;
        self
    }

    /// The longest key under which something is kept, in bytes of its text (see
    /// [`Key::text`]); none unless set. What is loaded or put for a longer one is given, counted and
    /// not kept in any tier: for keys that strangers choose. Measuring costs each miss a text.
    pub fn max_key(mut self, bytes: usize) -> Self {
        self.bounds.longest_key = Some(bytes);
        self
    }
}
