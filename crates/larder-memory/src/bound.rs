//! How much is kept.

use std::fmt;
use std::sync::Arc;
use std::thread::available_parallelism;

use quick_cache::{Options, OptionsBuilder};

/// What an entry weighs, in a unit of the caller's: told its key and its value, or `None` for a
/// remembered absence.
pub type Weigh<K, V> = Arc<dyn Fn(&K, Option<&V>) -> u64 + Send + Sync>;

/// How much a [`Near`](crate::Near) keeps. The bound is never passed.
///
/// The map has parts, each with its own lock and its share of the bound. Keys do not fall evenly
/// on the parts, so a part can be full, and evict, while another has room: a map of 1,000 entries
/// that is given 1,000 keeps about 980 of them. A bound under 256 has one part and no such loss.
#[expect(clippy::exhaustive_enums, reason = "there is no third")]
pub enum Bound<K, V> {
    /// At most so many entries; 0 keeps nothing.
    Entries(usize),
    /// At most so much weight in all.
    Weight {
        /// The bound, in the unit of `weigh`; 0 keeps nothing.
        max: u64,
        /// What an entry weighs. Asked once, when the entry is inserted, under no lock. A weight of
        /// 0 counts as 1, one above `u32::MAX` as `u32::MAX`.
        ///
        /// An entry that is heavier than nine tenths of a part is not kept; there are at most 8
        /// parts, so one of a tenth of `max` always is, if `max` is at least 10.
        weigh: Weigh<K, V>,
    },
}

impl<K, V> Bound<K, V> {
    /// The weight of an entry.
    pub(crate) fn weight(&self, key: &K, value: Option<&V>) -> u32 {
        match self {
            Self::Entries(_) => 1,
            Self::Weight { weigh, .. } => {
                let weight = weigh(key, value).max(1);
                u32::try_from(weight).unwrap_or(u32::MAX)
            }
        }
    }

    pub(crate) fn options(&self) -> Options {
        let (max, parts, entries) = match self {
            Self::Entries(max) => (*max as u64, by_threads(), *max as u64),
            Self::Weight { max, .. } => (*max, by_threads().min(WEIGHED_PARTS), guess(*max)),
        };
        // The map adds up to two maxima.
        let max = max.min(u64::MAX / 4);
        let parts = parts.min(highest_power(max / SMALLEST_PART));
        let mut options = OptionsBuilder::new();
        options.shards(parts as usize);
        // A multiple of the parts, because each part's share is rounded up.
        options.weight_capacity(max / parts * parts);
        // At least 32 for each part, else the map takes fewer parts of its own accord.
        options.estimated_items_capacity(entries.max(32 * parts) as usize);
        options.build().expect("both capacities are set")
    }
}

/// Parts smaller than this lose too much to keys that fall unevenly.
const SMALLEST_PART: u64 = 128;

/// So that a tenth of the bound fits in one part.
const WEIGHED_PARTS: u64 = 8;

/// Four parts a thread, so that two threads seldom want the same.
fn by_threads() -> u64 {
    let threads = available_parallelism().map_or(1, |threads| threads.get() as u64);
    (threads * 4).next_power_of_two()
}

/// The highest power of two up to `limit`, at least 1.
fn highest_power(limit: u64) -> u64 {
    1 << limit.max(1).ilog2()
}

/// How many entries a bound by weight may hold. A guess, and a low one, because for half as many
/// evicted keys the map remembers that they were there: one entry for each unit of a small bound,
/// for each 1,024 units (KiB, if they are bytes) of a large one.
fn guess(max: u64) -> u64 {
    (max / 1024).clamp(max.min(1024), 1 << 20)
}

impl<K, V> fmt::Debug for Bound<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entries(max) => f.debug_tuple("Entries").field(max).finish(),
            Self::Weight { max, .. } => {
                let mut out = f.debug_struct("Weight");
                out.field("max", max).finish_non_exhaustive()
            }
        }
    }
}
