//! Events of a far tier.

use larder_engine::{Events, What};
use larder_kit::{FarOperation, Fault};

use crate::far::corrupt::Saboteur;
use crate::far::rig::Pair;
use crate::far::support::beat;
use crate::support::SECOND;

/// The events that are not about a call.
fn told(events: &Events) -> Vec<What> {
    let events = std::iter::from_fn(|| events.try_next()).map(|event| event.what);
    let call = |what: &What| matches!(what, What::Answered(_) | What::Stored(_));
    events.filter(|what| !call(what)).collect()
}

#[test]
fn a_far_tier_that_goes_and_comes_back_is_told_once_each() {
    let pair = Pair::new();
    let events = pair.one.larder.events(100);
    pair.one
        .failing
        .fail(FarOperation::Read, Fault::NotSent, usize::MAX);
    for _ in 0..20 {
        pair.held();
    }
    assert_eq!(
        told(&events)
            .into_iter()
            .filter(|what| *what != What::Missed)
            .collect::<Vec<_>>(),
        [What::FarDown]
    );
    pair.one.failing.heal();
    pair.time.advance(SECOND * 2);
    for _ in 0..5 {
        pair.fetch();
    }
    assert_eq!(told(&events), [What::FarUp]);
}

#[test]
fn an_invalidation_that_waits_is_told_and_so_is_the_end_of_waiting() {
    let pair = Pair::new();
    let events = pair.one.larder.events(100);
    pair.one
        .failing
        .fail(FarOperation::Invalidate, Fault::NotSent, 2);
    pair.time.block_on(pair.one.numbers.invalidate(&1));
    assert_eq!(told(&events), [What::Invalidated, What::Queued]);
    beat(&pair.time);
    assert_eq!(told(&events), [What::Drained]);
}

#[test]
fn a_node_that_hears_nothing_is_told_to_be_blind_until_it_hears_again() {
    let pair = Pair::new();
    let events = pair.one.larder.events(100);
    pair.one.bus.cut();
    pair.time.advance(SECOND * 10);
    assert_eq!(told(&events), [What::Blind]);
    pair.one.bus.mend();
    pair.time.advance(SECOND * 10);
    assert_eq!(told(&events), [What::Sighted]);
}

#[test]
fn a_node_that_has_only_begun_to_listen_alarms_nobody_before_the_blind_ttl_is_over() {
    let pair = Pair::new();
    pair.one.bus.cut();
    let events = pair.one.larder.events(100);
    let _late = pair.one.larder.cache::<u64, u64>("late").far().build();
    pair.time.run_until_idle();
    pair.time.advance(SECOND * 4);
    assert_eq!(told(&events), []);
    pair.time.advance(SECOND * 3);
    assert!(told(&events).contains(&What::Blind));
}

#[test]
fn bytes_that_are_no_value_are_told_each_time_they_are_met() {
    let saboteur = Saboteur::new();
    let pair = &saboteur.pair;
    pair.fill_far();
    saboteur.plant(vec![0xff; 9].into());
    let events = pair.one.larder.events(100);
    assert_eq!(pair.held(), None);
    assert_eq!(told(&events), [What::Undecodable, What::Missed]);
    assert_eq!(pair.fetch(), 1);
    assert_eq!(told(&events), [What::Undecodable]);
    assert_eq!(pair.fetch(), 1);
    assert_eq!(told(&events), [], "they have given way");
}

#[test]
fn results_that_far_does_not_keep_are_told() {
    let pair = Pair::of(|builder| builder.max_frame(1).far());
    let events = pair.one.larder.events(100);
    pair.fetch();
    let unfit = told(&events);
    assert_eq!(unfit, [What::Unfit(larder_engine::Tier::Far)]);
}
