//! Many runs, on all cores.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::{Profile, Summary, Violation, run};

/// A run that broke something.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Found {
    /// Its seed.
    pub seed: u64,
    /// Its profile.
    pub profile: Profile,
    /// What it broke.
    pub violation: Violation,
}

/// Runs seeds, each in the next of the profiles, on as many threads as there are cores, and sums up
/// what they did. `progress` is told after each how many runs have ended.
///
/// # Errors
/// The run with the lowest seed among those that broke something; after the first nothing more is
/// begun.
pub fn sweep(
    seeds: Range<u64>,
    profiles: &[Profile],
    progress: impl Fn(u64) + Sync,
) -> Result<Summary, Found> {
    let (next, ended) = (AtomicU64::new(seeds.start), AtomicU64::new(0));
    let all: Mutex<Summary> = Mutex::default();
    let stop = AtomicBool::new(false);
    let found: Mutex<Vec<Found>> = Mutex::default();
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            let profile = profiles[seed as usize % profiles.len()];
            match run(seed, profile) {
                Ok(summary) => {
                    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                    all.add(&summary);
                }
                Err(violation) => {
                    stop.store(true, Ordering::Relaxed);
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.push(Found {
                        seed,
                        profile,
                        violation,
                    });
                }
            }
            progress(ended.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    match found.into_iter().min_by_key(|found| found.seed) {
        Some(found) => Err(found),
        None => Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}
