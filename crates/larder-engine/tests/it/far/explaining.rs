//! What both tiers hold of a key, told to operators.

use larder_engine::{CacheBuilder, Held};
use larder_kit::{FarOperation, Fault};

use crate::far::rig::{Pair, TAG};
use crate::far::support::beat;
use crate::support::SECOND;

fn explained(pair: &Pair) -> larder_engine::Explanation {
    pair.time.block_on(pair.one.numbers.explain(&1))
}

fn far_why(pair: &Pair) -> &'static str {
    match explained(pair).far {
        Held::Unusable { why, .. } => why.name(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_far_holds_is_told_with_its_tags_and_fills_nothing() {
    let pair = Pair::new();
    assert_eq!(explained(&pair).far, Held::Nothing);
    pair.fill_far();
    pair.time.advance(SECOND);
    for _ in 0..2 {
        let told = explained(&pair);
        assert_eq!(told.near, Held::Nothing);
        let Held::Usable { age, tag_names, .. } = told.far else {
            panic!("{:?}", told.far);
        };
        assert_eq!((age, &tag_names[..]), (SECOND, &[TAG.to_owned()][..]));
    }
    for operation in [FarOperation::StoreIf, FarOperation::Release] {
        assert_eq!(pair.one.failing.calls(operation), 0);
    }
    pair.time.block_on(pair.two.numbers.invalidate_tag(TAG));
    beat(&pair.time);
    assert_eq!(far_why(&pair), "tag");
    pair.time.block_on(pair.two.numbers.clear());
    assert_eq!(far_why(&pair), "cleared");
}

#[test]
fn a_far_only_cache_has_no_near_tier() {
    let pair = Pair::of(CacheBuilder::far_only);
    pair.fill_far();
    assert_eq!(explained(&pair).near, Held::NoTier);
}

#[test]
fn a_far_tier_that_is_down_is_told_with_what_waits_for_it() {
    let pair = Pair::new();
    pair.fill_far();
    pair.one.failing.die(Fault::NotSent);
    pair.time.block_on(pair.one.numbers.invalidate(&1));
    assert_eq!(far_why(&pair), "far-down");
    for _ in 0..5 {
        explained(&pair);
    }
    let told = explained(&pair);
    assert!(told.far_down && told.pending == 1, "{told:?}");
    assert!(told.to_string().contains("that wait for the far tier: 1"));
    pair.one
        .failing
        .fail(FarOperation::Invalidate, Fault::NotSent, usize::MAX);
    pair.one.failing.heal();
}

#[test]
fn a_fence_and_blindness_are_told() {
    let pair = Pair::new();
    pair.fill_far();
    assert!(!explained(&pair).blind);
    pair.one
        .failing
        .fail(FarOperation::Invalidate, Fault::NotSent, usize::MAX);
    pair.time.block_on(pair.one.numbers.invalidate(&1));
    assert_eq!(far_why(&pair), "fenced");
    let lonely = pair.time.clone();
    pair.one.bus.cut();
    lonely.advance(SECOND * 7);
    assert!(explained(&pair).blind);
}
