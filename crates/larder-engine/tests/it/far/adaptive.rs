//! Old values that hold still, through the far tier.

use larder_engine::{CacheBuilder, Got};

use crate::adaptive::Versions;
use crate::far::rig::Pair;
use crate::far::support::beat;
use crate::support::{SECOND, TTL};

#[test]
fn fc40_not_modified_works_through_far_with_validator_and_tags() {
    let both: fn(CacheBuilder<u64, u64>) -> _ = |builder| builder.stale(TTL).far();
    let far_only = |builder: CacheBuilder<u64, u64>| builder.stale(TTL).far_only();
    for tiers in [both, far_only] {
        let pair = Pair::of(tiers);
        let (one, two) = (&pair.one.numbers, &pair.two.numbers);
        let source = Versions::default();
        pair.time.block_on(source.reload(two));
        source.asked();
        pair.time.block_on(two.expire(&1));
        beat(&pair.time);
        // The first node never held it: value, validator and tags are the far tier's.
        assert_eq!(pair.time.block_on(source.reload(one)), 0);
        assert_eq!(source.asked(), ["v0"]);
        pair.time.advance(TTL - 2 * SECOND);
        let third = Pair::at(&pair.time, &pair.shelf, CacheBuilder::far);
        assert_eq!(third.held(), Some(0), "kept anew for all nodes");
        pair.time.block_on(two.invalidate_tag("fruit"));
        beat(&pair.time);
        assert_eq!(pair.time.block_on(one.get(&1)), Got::Unknown);
        pair.time.block_on(source.reload(one));
        assert_eq!(source.asked(), [""], "what was invalidated is not given");
    }
}
