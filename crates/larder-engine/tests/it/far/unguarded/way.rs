//! The way through two tiers.

use larder_engine::{Change, Got, Larder, Why};
use larder_kit::Virtual;

use super::{far_only, larder, map, node};
use crate::support::{SECOND, Source, TTL};

#[test]
fn a_value_is_near_for_who_loaded_it_and_far_for_another() {
    let time = Virtual::new();
    let store = map(&time);
    let (one, two) = (node(&time, store.clone()), node(&time, store));
    let source = Source::ready();
    time.block_on(async {
        assert_eq!(one.fetch(&source).await.outcome.detail(), "loaded");
        assert_eq!(one.fetch(&source).await.outcome.detail(), "near");
        assert_eq!(two.fetch(&source).await.outcome.detail(), "far");
        assert_eq!(two.fetch(&source).await.outcome.detail(), "near");
    });
    assert_eq!(source.calls(), 1);
}

#[test]
fn a_far_only_cache_asks_the_store_each_time() {
    let time = Virtual::new();
    let node = far_only(&time, map(&time));
    let source = Source::ready();
    time.block_on(async {
        assert_eq!(node.fetch(&source).await.outcome.detail(), "loaded");
        assert_eq!(node.fetch(&source).await.outcome.detail(), "far");
        assert_eq!(node.numbers.get(&1).await, Got::Value(1.into()));
    });
    assert_eq!(node.numbers.stats().entries, 0);
}

#[test]
fn an_invalidation_is_seen_at_once_here_and_after_the_blind_ttl_there() {
    let time = Virtual::new();
    let store = map(&time);
    let (one, two) = (node(&time, store.clone()), node(&time, store));
    let source = Source::ready();
    let new = time.block_on(async {
        one.fetch(&source).await;
        two.fetch(&source).await;
        let new = source.change();
        assert_eq!(one.numbers.invalidate(&1).await, Change::Done);
        assert_eq!(one.fetch(&source).await.value, new);
        assert_eq!(two.fetch(&source).await.value, 1, "nobody told it");
        new
    });
    time.advance(SECOND * 5 + SECOND / 100);
    let late = time.block_on(two.fetch(&source));
    assert_eq!((late.value, late.outcome.detail()), (new, "far"));
}

#[test]
fn near_never_outlives_what_far_has_left() {
    let time = Virtual::new();
    let store = map(&time);
    let (one, two) = (node(&time, store.clone()), node(&time, store));
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
    let store = map(&time);
    let (one, two) = (node(&time, store.clone()), node(&time, store));
    time.block_on(async {
        let absent = one.numbers.get_or_load(&1, || async { None::<u64> }).await;
        assert_eq!(absent.unwrap(), None);
        assert_eq!(two.numbers.get(&1).await, Got::KnownAbsent);
    });
}

#[test]
fn a_put_is_far_for_all_and_a_late_one_only_deletes() {
    let time = Virtual::new();
    let store = map(&time);
    let (one, two) = (far_only(&time, store.clone()), far_only(&time, store));
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
fn a_clear_reaches_the_others_in_the_store_and_says_so() {
    let time = Virtual::new();
    let store = map(&time);
    let (one, two) = (far_only(&time, store.clone()), far_only(&time, store));
    let source = Source::ready();
    time.block_on(async {
        one.fetch(&source).await;
        assert_eq!(two.numbers.clear().await, Change::Done);
        let why = one.fetch(&source).await.outcome;
        let cleared = format!("{:?}", Why::Cleared);
        assert!(format!("{why:?}").contains(&cleared), "{why:?}");
    });
    assert_eq!(source.calls(), 2);
}

#[test]
fn caches_of_one_store_share_nothing() {
    let time = Virtual::new();
    let larder = larder(&time, map(&time));
    let cache = |name| larder.cache::<u64, u64>(name).ttl(TTL).far_only().build();
    let (one, two) = (cache("one").unwrap(), cache("two").unwrap());
    time.block_on(async {
        let _ = one.put(&1, 1).await;
        let _ = two.put(&1, 2).await;
        let _ = one.clear().await;
        assert_eq!(one.get(&1).await, Got::Unknown);
        assert_eq!(two.get(&1).await, Got::Value(2.into()));
    });
}

#[test]
fn a_plain_store_is_refused_where_one_that_guards_is_wanted() {
    let time = Virtual::new();
    let plain = Larder::builder().runtime(time.clone()).far(map(&time));
    let refused = plain.build().unwrap_err();
    assert_eq!(refused.setting(), "far");
    assert!(refused.to_string().contains("far_unguarded"), "{refused}");
}
