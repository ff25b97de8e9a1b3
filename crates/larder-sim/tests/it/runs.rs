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
const RUNS: u64 = 360;

#[test]
fn no_profile_breaks_a_promise() {
    let swept = sweep(0..RUNS, &Profile::ALL, |_| {});
    let calls = swept.unwrap_or_else(|found| panic!("{found:?}"));
    assert!(calls > RUNS * 50, "{calls} calls");
}
