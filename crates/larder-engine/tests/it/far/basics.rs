//! The way through two tiers.

use std::time::Duration;

use larder_engine::{Change, Got, Why};
use larder_kit::Virtual;

use super::support::{Node, beat, larder, shelf};
use crate::support::{SECOND, Source, TTL, larder as alone};

#[test]
fn a_value_that_one_node_loaded_is_far_for_another_and_near_after_that() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let (one, two) = (Node::over(&time, &shelf), Node::over(&time, &shelf));
    let source = Source::ready();
    beat(&time);
    time.block_on(async {
        assert_eq!(one.fetch(&source).await.outcome.detail(), "loaded");
        assert_eq!(one.fetch(&source).await.outcome.detail(), "near");
        assert_eq!(two.fetch(&source).await.outcome.detail(), "far");
        assert_eq!(two.fetch(&source).await.outcome.detail(), "near");
    });
    assert_eq!(source.calls(), 1);
    assert_eq!(two.numbers.stats().far, 1);
}

#[test]
fn an_invalidation_on_one_node_reaches_the_other_by_a_message() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let (one, two) = (Node::over(&time, &shelf), Node::over(&time, &shelf));
    let source = Source::ready();
    beat(&time);
    time.block_on(async {
        one.fetch(&source).await;
        two.fetch(&source).await;
        let new = source.change();
        assert_eq!(one.numbers.invalidate(&1).await, Change::Done);
        assert_eq!(two.fetch(&source).await.value, new);
        assert_eq!(one.fetch(&source).await.value, new);
    });
    assert_eq!(source.calls(), 2);
}

#[test]
fn a_far_only_cache_asks_the_store_each_time() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let node = Node::far_only(&time, &shelf);
    let source = Source::ready();
    time.block_on(async {
        assert_eq!(node.fetch(&source).await.outcome.detail(), "loaded");
        assert_eq!(node.fetch(&source).await.outcome.detail(), "far");
        assert_eq!(node.fetch(&source).await.outcome.detail(), "far");
        assert_eq!(node.numbers.get(&1).await, Got::Value(1.into()));
    });
    assert_eq!(node.numbers.stats().entries, 0);
}

#[test]
fn a_far_cache_over_a_larder_without_a_store_is_near_only() {
    let time = Virtual::new();
    let numbers = alone(&time).cache::<u64, u64>("numbers").ttl(TTL).far();
    let numbers = numbers.queue(5).build().unwrap();
    time.block_on(numbers.put(&1, 7));
    assert_eq!(time.block_on(numbers.get(&1)), Got::Value(7.into()));
    let only = alone(&time)
        .cache::<u64, u64>("numbers")
        .ttl(TTL)
        .far_only();
    assert_eq!(only.build().unwrap_err().setting(), "far_only");
}

/// It must not be the server that finds out.
#[test]
fn what_is_wrong_with_a_far_cache_is_refused_without_a_store_too() {
    let time = Virtual::new();
    let endless = alone(&time).cache::<u64, u64>("numbers").far().build();
    assert_eq!(endless.unwrap_err().setting(), "ttl");
    let zero = alone(&time).cache::<u64, u64>("numbers").ttl(TTL).far();
    assert_eq!(zero.queue(0).build().unwrap_err().setting(), "queue");
    let both = alone(&time).cache::<u64, u64>("numbers").ttl(TTL).far();
    assert_eq!(both.far_only().build().unwrap_err().setting(), "far_only");
}

#[test]
fn a_far_tier_keeps_nothing_without_an_end() {
    let time = Virtual::new();
    let larder = larder(&time, &shelf(&time));
    let endless = larder.cache::<u64, u64>("numbers").far().build();
    assert_eq!(endless.unwrap_err().setting(), "ttl");
}

#[test]
fn near_never_outlives_what_far_has_left() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let (one, two) = (Node::over(&time, &shelf), Node::over(&time, &shelf));
    let source = Source::ready();
    time.block_on(one.fetch(&source));
    time.advance(TTL - SECOND);
    assert_eq!(time.block_on(two.fetch(&source)).outcome.detail(), "far");
    time.advance(SECOND);
    let again = time.block_on(two.fetch(&source));
    assert_eq!(again.outcome.detail(), "loaded");
}

#[test]
fn absence_is_kept_far_and_is_no_miss() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let (one, two) = (Node::over(&time, &shelf), Node::over(&time, &shelf));
    time.block_on(async {
        let absent = one.numbers.get_or_load(&1, || async { None::<u64> }).await;
        assert_eq!(absent.unwrap(), None);
        assert_eq!(two.numbers.get(&1).await, Got::KnownAbsent);
    });
}

#[test]
fn a_node_without_a_heartbeat_is_blind_after_the_blind_ttl() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let node = Node::over(&time, &shelf);
    let source = Source::ready();
    beat(&time);
    time.block_on(node.fetch(&source));
    // The process is paused: its clock goes on, its tasks do not.
    time.hand().advance(Duration::from_secs(5));
    assert_eq!(time.block_on(node.fetch(&source)).outcome.detail(), "near");
    time.hand().advance(Duration::from_secs(2));
    let (fetched, call) = (time.block_on(node.fetch(&source)), source.calls());
    assert_eq!((fetched.outcome.detail(), call), ("far", 1));
}

#[test]
fn a_put_is_seen_by_all_and_a_late_one_only_deletes() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let (one, two) = (Node::over(&time, &shelf), Node::over(&time, &shelf));
    beat(&time);
    time.block_on(async {
        let early = one.numbers.ticket(&1).await;
        let _ = two.numbers.put(&1, 2).await;
        assert_eq!(one.numbers.get(&1).await, Got::Value(2.into()));
        let _ = one.numbers.put_with(early, 1).await;
        assert_eq!(one.numbers.get(&1).await, Got::Unknown);
        assert_eq!(two.numbers.get(&1).await, Got::Unknown);
    });
}

#[test]
fn clear_and_its_reason() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let (one, two) = (Node::over(&time, &shelf), Node::over(&time, &shelf));
    let source = Source::ready();
    beat(&time);
    time.block_on(async {
        one.fetch(&source).await;
        two.fetch(&source).await;
        let _ = two.numbers.clear().await;
        let why = one.fetch(&source).await.outcome;
        assert!(
            format!("{why:?}").contains(&format!("{:?}", Why::Cleared)),
            "{why:?}"
        );
    });
    let _ = &one.larder;
}

#[test]
fn what_was_expired_is_fresh_on_no_node() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let (one, two) = (Node::over(&time, &shelf), Node::over(&time, &shelf));
    let source = Source::ready();
    beat(&time);
    time.block_on(async {
        one.fetch(&source).await;
        two.fetch(&source).await;
        let new = source.change();
        assert_eq!(one.numbers.expire(&1).await, Change::Done);
        assert_eq!(two.fetch(&source).await.value, new);
        assert_eq!(one.fetch(&source).await.value, new);
    });
}

#[test]
fn a_tag_that_a_value_does_not_carry_leaves_it() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let (one, two) = (Node::over(&time, &shelf), Node::over(&time, &shelf));
    beat(&time);
    time.block_on(async {
        let _ = one.numbers.put(&1, 1).await;
        assert_eq!(two.numbers.get(&1).await, Got::Value(1.into()));
        assert_eq!(two.numbers.invalidate_tag("other").await, Change::Done);
        assert_eq!(one.numbers.get(&1).await, Got::Value(1.into()));
    });
}

#[test]
fn a_far_tier_with_no_room_is_refused() {
    let time = Virtual::new();
    let larder = larder(&time, &shelf(&time));
    let cache = || larder.cache::<u64, u64>("numbers").ttl(TTL).far();
    assert_eq!(
        cache().max_frame(0).build().unwrap_err().setting(),
        "max_frame"
    );
    assert_eq!(cache().queue(0).build().unwrap_err().setting(), "queue");
}
