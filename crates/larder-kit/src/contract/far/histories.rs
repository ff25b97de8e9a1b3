//! Random histories: whatever happens in whatever order, nothing invalidated is found.

mod event;
mod history;

use super::rig::Rig;
use crate::contract::Verdict;
use history::History;

/// Loads that hold their tickets over everything else that happens, on few keys of few caches.
pub(super) fn nothing_invalidated_comes_back(rig: &Rig) -> Verdict {
    histories(rig, false)
}

/// The same over a store that may lose any key at any time.
pub(super) fn nothing_lost_comes_back(rig: &Rig) -> Verdict {
    histories(rig, true)
}

fn histories(rig: &Rig, lossy: bool) -> Verdict {
    for seed in 0..SEEDS {
        let mut history = History::new(rig, seed, lossy);
        for step in 0..STEPS {
            let end = history.step();
            end.map_err(|what| format!("{what}, in step {step} of seed {seed}"))?;
        }
    }
    Ok(())
}

const SEEDS: u64 = 12;
const STEPS: usize = 300;
