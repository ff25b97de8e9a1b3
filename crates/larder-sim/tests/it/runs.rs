//! Runs of every profile.

use larder_sim::{Profile, sweep, trace};

#[test]
fn a_seed_is_one_run() {
    for profile in Profile::ALL {
        for seed in 0..3 {
            assert_eq!(
                trace(seed, profile),
                trace(seed, profile),
                "{profile} {seed}"
            );
        }
    }
}

/// In the next of the profiles each.
const RUNS: u64 = 420;

/// What a run that shows anything meets.
const OUTCOMES: [&str; 9] = [
    "near",
    "far",
    "joined",
    "loaded",
    "failed",
    "stale-refresh",
    "stale-error",
    "stale-soft",
    "stale-timeout",
];

#[test]
fn no_profile_breaks_a_promise() {
    let swept = sweep(0..RUNS, &Profile::ALL, |_| {});
    let summary = swept.unwrap_or_else(|found| panic!("{found:?}"));
    assert!(summary.calls > RUNS * 50, "{} calls", summary.calls);
    for outcome in OUTCOMES {
        let met = summary.outcomes.get(outcome).copied().unwrap_or(0);
        assert!(met > 0, "{outcome} was never met: {:?}", summary.outcomes);
    }
}
