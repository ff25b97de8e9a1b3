//! Switches over two tiers.

use larder_engine::{CacheBuilder, Mode};
use larder_kit::FarOperation;

use crate::far::rig::Pair;
use crate::far::support::beat;
use crate::modes::ALL;

const WRITES: [FarOperation; 3] = [
    FarOperation::StoreIf,
    FarOperation::PutIf,
    FarOperation::Release,
];

#[test]
fn fc59_a_cache_that_is_off_leaves_the_far_tier_alone() {
    let pair = Pair::new();
    pair.fill_far();
    pair.one.numbers.switch(Mode::Off);
    let version = pair.source.change();
    assert_eq!((pair.fetch(), pair.held()), (version, None));
    for operation in WRITES.into_iter().chain([FarOperation::Read]) {
        assert_eq!(pair.one.failing.calls(operation), 0, "{operation:?}");
    }
}

#[test]
fn fc59_read_only_reads_far_and_writes_no_tier() {
    let pair = Pair::new();
    pair.fill_far();
    pair.one.numbers.switch(Mode::ReadOnly);
    pair.source.change();
    for reads in 1..3 {
        assert_eq!(pair.fetch(), 1, "the far tier's");
        let asked = pair.one.failing.calls(FarOperation::Read);
        assert_eq!(asked, reads, "near kept nothing");
    }
    pair.time.block_on(pair.two.numbers.clear());
    beat(&pair.time);
    assert_eq!(pair.fetch(), 2);
    for operation in WRITES {
        assert_eq!(pair.one.failing.calls(operation), 0, "{operation:?}");
    }
    assert_eq!(pair.two.held(&pair.time), None, "nothing was stored far");
}

#[test]
fn fc59_write_only_loads_over_what_far_holds() {
    for tiers in [CacheBuilder::far, CacheBuilder::far_only] {
        let pair = Pair::of(tiers);
        pair.fill_far();
        pair.one.numbers.switch(Mode::WriteOnly);
        let version = pair.source.change();
        assert_eq!(pair.fetch(), version);
        pair.time
            .block_on(pair.two.larder.shutdown(crate::support::SECOND));
        pair.one.numbers.switch(Mode::On);
        let calls = pair.source.calls();
        assert_eq!((pair.fetch(), pair.source.calls()), (version, calls));
        // It writes over what far held; the others keep theirs for its time, since nothing was changed.
        let third = Pair::at(&pair.time, &pair.shelf, tiers);
        assert_eq!(third.held(), Some(version));
    }
}

#[test]
fn a_change_reaches_other_nodes_in_every_mode() {
    for mode in ALL {
        for put in [false, true] {
            let pair = Pair::new();
            pair.fill_far();
            pair.one.numbers.switch(mode);
            let version = pair.source.change();
            pair.time.block_on(async {
                if put {
                    pair.one.numbers.put(&1, version).await
                } else {
                    pair.one.numbers.invalidate(&1).await
                }
            });
            beat(&pair.time);
            let two = pair.two.fetch(&pair.time, &pair.source);
            assert_eq!(two, version, "{mode:?} put: {put}");
        }
    }
}
