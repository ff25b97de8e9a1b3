//! Who asks for what, in what order.

use std::collections::HashSet;

/// Requests, one after the other.
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) keys: Vec<u64>,
    /// How many different ones there are to ask for again.
    pub(super) different: usize,
}

impl Workload {
    /// Room for this part of the different keys, in entries.
    pub(super) fn capacity(&self, percent: f64) -> usize {
        (self.different as f64 * percent / 100.0).round() as usize
    }
}

/// The order in which products were ordered of a shop; see `data/README.md`.
pub(super) fn orders() -> Workload {
    let lines = include_str!("../../data/access-trace.txt").lines();
    let keys = lines.map(|line| line.parse().expect("the trace holds numbers alone"));
    let keys: Vec<_> = keys.collect();
    let different = keys.iter().collect::<HashSet<_>>().len();
    Workload {
        name: "Orders of a shop",
        keys,
        different,
    }
}

/// Keys that a Zipf draw can give.
const KEYS: u64 = 100_000;
/// How uneven it is: the most wanted key is asked for twice as often as the second, about.
const EXPONENT: f64 = 0.99;

/// Requests whose popularity falls with the rank.
pub(super) fn zipf(requests: usize) -> Workload {
    Workload {
        name: "Zipf 0.99",
        keys: Zipf::new().take(requests).collect(),
        different: KEYS as usize,
    }
}

/// The same with somebody who walks over keys that nobody asks for again, now and then: what a crawler
/// or a nightly job does to a cache.
pub(super) fn zipf_with_scans(requests: usize) -> Workload {
    const BETWEEN: usize = 100_000;
    const LENGTH: u64 = 20_000;
    let mut zipf = Zipf::new();
    let mut keys = Vec::with_capacity(requests);
    let mut next = KEYS;
    while keys.len() < requests {
        keys.extend(zipf.by_ref().take(BETWEEN));
        keys.extend(next..next + LENGTH);
        next += LENGTH;
    }
    keys.truncate(requests);
    Workload {
        name: "Zipf 0.99 with scans",
        keys,
        different: KEYS as usize,
    }
}

/// Draws of ranks, always the same.
struct Zipf {
    random: fastrand::Rng,
    /// The chance of a rank or one before it.
    upto: Vec<f64>,
}

impl Zipf {
    fn new() -> Self {
        let mut sum = 0.0;
        let mut upto: Vec<_> = (1..=KEYS)
            .map(|rank| {
                sum += (rank as f64).powf(-EXPONENT);
                sum
            })
            .collect();
        upto.iter_mut().for_each(|chance| *chance /= sum);
        Self {
            random: fastrand::Rng::with_seed(5_196),
            upto,
        }
    }
}

impl Iterator for Zipf {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let drawn = self.random.f64();
        let rank = self.upto.partition_point(|upto| *upto < drawn);
        Some((rank as u64).min(KEYS - 1))
    }
}
