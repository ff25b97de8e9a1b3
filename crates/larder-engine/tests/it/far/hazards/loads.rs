//! Loads that run while something is invalidated.

use larder_kit::{FarOperation, Virtual};

use crate::far::rig::{Pair, Rig, TAG, told, try_fetch};
use crate::far::support::shelf;
use crate::support::Source;

#[test]
fn the_far_ticket_is_taken_before_the_source_is_read() {
    let pair = Pair::new();
    pair.source.gate.close();
    let early = pair.call();
    assert_eq!(pair.source.calls(), 1, "the load has read the source");
    assert_eq!(pair.one.failing.calls(FarOperation::Read), 1);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    pair.source.gate.open();
    assert!(pair.time.block_on(early) < new);
    let far = pair.one.numbers.stats().far_tier.unwrap();
    assert_eq!(far.refused, 1, "the store compared");
    assert_eq!(pair.two.held(&pair.time), None);
}

#[test]
fn a_store_is_compared_however_late_it_runs() {
    let pair = Pair::new();
    pair.one
        .failing
        .fail(FarOperation::StoreIf, larder_kit::Fault::Late, 1);
    pair.fetch();
    let late = pair.one.failing.late();
    pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    for store in late {
        pair.time.block_on(store.run()).unwrap();
    }
    assert_eq!(pair.held(), None);
    assert_eq!(pair.two.held(&pair.time), None);
}

#[test]
fn the_near_ticket_of_a_far_value_is_from_before_the_read() {
    let pair = Pair::new();
    pair.fill_far();
    let answers = pair.one.slow.hold_after(FarOperation::Read);
    let early = pair.call();
    pair.one.slow.hurry();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.invalidate(&1));
    answers.open();
    assert_eq!(
        pair.time.block_on(early),
        new,
        "decoded after it: loaded instead"
    );
    assert_eq!(pair.fetch(), new);
}

/// A tag that only the value tells has a token in no ticket.
#[test]
fn v1_v3_a_tag_that_only_the_value_tells_ends_it_in_both_tiers() {
    let pair = Pair::new();
    pair.source.gate.close();
    let told = || told(&pair.one.numbers, &pair.source, &[TAG]);
    let early = pair.time.spawn(told());
    pair.time.run_until_idle();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate_tag(TAG));
    pair.source.gate.open();
    assert_eq!(pair.time.block_on(early).unwrap(), 1, "it came before");
    assert_eq!(pair.one.numbers.stats().far_tier.unwrap().refused, 1);
    assert_eq!((pair.held(), pair.two.held(&pair.time)), (None, None));
    assert_eq!(pair.time.block_on(told()).unwrap(), new);
}

#[test]
fn v2_who_joined_before_the_value_told_its_tag_loads_for_itself() {
    let pair = Pair::new();
    pair.source.gate.close();
    let told = || told(&pair.one.numbers, &pair.source, &[TAG]);
    let early = pair.time.spawn(told());
    pair.time.run_until_idle();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.invalidate_tag(TAG));
    let late = pair.time.spawn(told());
    pair.time.run_until_idle();
    assert_eq!(pair.source.calls(), 1, "it has joined");
    pair.source.gate.open();
    assert_eq!(pair.time.block_on(late).unwrap(), new);
    assert_eq!(pair.time.block_on(early).unwrap(), 1);
}

#[test]
fn a_joined_result_is_checked_when_it_is_handed_out() {
    let pair = Pair::new();
    pair.source.gate.close();
    let early = pair.call();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.invalidate_tag(TAG));
    let late = pair.call();
    assert_eq!(
        pair.source.calls(),
        1,
        "the tag is not known yet: the call has joined"
    );
    pair.source.gate.open();
    assert_eq!(pair.time.block_on(late), new);
    assert_eq!(pair.time.block_on(early), 1, "it came before");
}

#[test]
fn a_joined_far_value_is_checked_when_it_is_handed_out() {
    let pair = Pair::new();
    pair.fill_far();
    let answers = pair.one.slow.hold_after(FarOperation::Read);
    let early = pair.call();
    pair.one.slow.hurry();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.invalidate_tag(TAG));
    let late = pair.call();
    answers.open();
    assert_eq!(pair.time.block_on(late), new);
    assert_eq!(pair.time.block_on(early), new);
}

#[test]
fn a_load_that_fails_lets_its_token_go() {
    let pair = Pair::new();
    pair.fetch();
    let _ = pair.time.block_on(pair.one.numbers.invalidate(&1));
    let keys = pair.shelf.keys();
    let fails = pair
        .one
        .numbers
        .get_or_load(&1, || async { Err::<u64, _>("down".to_owned()) });
    assert!(pair.time.block_on(fails).is_err());
    assert_eq!(pair.shelf.keys(), keys);
}

#[test]
fn a_load_that_panics_harms_nobody_after_it() {
    let pair = Pair::new();
    let panics = pair.one.numbers.get_or_load(&1, crate::support::panicking);
    assert!(pair.time.block_on(panics).is_err());
    assert_eq!(pair.fetch(), 1);
    assert_eq!(
        pair.two.held(&pair.time),
        Some(1),
        "its token is the next load's"
    );
}

#[test]
fn expire_voids_a_load_that_runs() {
    let pair = Pair::new();
    pair.fill_far();
    let _ = pair.time.block_on(pair.one.numbers.expire(&1));
    pair.source.gate.close();
    let early = pair.call();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.expire(&1));
    pair.source.gate.open();
    assert!(pair.time.block_on(early) < new);
    assert_eq!(pair.held(), None);
    assert_eq!(pair.two.held(&pair.time), None);
    assert_eq!(pair.fetch(), new);
}

#[test]
fn loads_that_were_dropped_before_they_stored_leave_nothing_old() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let rig = Rig::with(&time, &shelf, |larder| larder, |cache| cache.far());
    let source = Source::held();
    let call = time.spawn(try_fetch(&rig.numbers, &source));
    time.run_until_idle();
    time.drop_tasks();
    drop(call);
    let new = source.change();
    source.gate.open();
    assert_eq!(rig.fetch(&time, &source), new);
}
