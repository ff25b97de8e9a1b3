//! FusionCache's lines of two nodes that are not said elsewhere.

use larder_engine::{Cache, CacheBuilder, Change as Done};
use larder_kit::{FarOperation, Fault, Step, Virtual};

use crate::far::rig::{Pair, TAG};
use crate::far::stale::node::Two;
use crate::far::support::{beat, larder, shelf};
use crate::support::{SECOND, TTL};

#[test]
fn fc23_a_result_that_comes_after_its_callers_left_is_kept_for_all_nodes() {
    for tiers in [CacheBuilder::far, CacheBuilder::far_only] {
        let nodes = Two::of(tiers);
        let soft = larder_engine::CallOptions::new().soft(SECOND);
        nodes.one.loader.then(Step::value("old"));
        nodes.one.said();
        nodes.time.block_on(nodes.one.cache.expire(&1));
        nodes.one.loader.then(Step::value("new").after(SECOND * 2));
        let (cache, loader) = (nodes.one.cache.clone(), nodes.one.loader.clone());
        let call = nodes.time.spawn(async move {
            let load = move || loader.call(1);
            cache.fetch_with(&1, soft, load).await
        });
        nodes.time.advance(SECOND);
        let given = nodes.time.block_on(call).unwrap();
        assert_eq!(given.outcome.detail(), "stale-soft");
        nodes.time.advance(SECOND);
        assert_eq!(nodes.one.said().1, "new");
        assert_eq!(nodes.two.said(), ("far", "new".to_owned()));
        assert_eq!(nodes.two.loader.calls(), 0);
    }
}

/// Old values serve where a load fails; after a clear none of them does, here and on other nodes.
#[test]
fn fc48_a_clear_ends_for_good_what_could_have_served_where_a_load_fails() {
    for tiers in [CacheBuilder::far, CacheBuilder::far_only] {
        for expired in [false, true] {
            let nodes = Two::of(tiers);
            nodes.one.loader.then(Step::value("old"));
            assert_eq!(
                (nodes.one.said().1, nodes.two.said().1),
                ("old".into(), "old".into())
            );
            if expired {
                nodes.time.block_on(nodes.one.cache.expire(&1));
            }
            nodes.one.fails();
            nodes.two.fails();
            let old = nodes.one.said();
            assert_eq!(old.1, "old", "before the clear");
            assert_eq!(nodes.time.block_on(nodes.two.cache.clear()), Done::Done);
            for node in [&nodes.one, &nodes.two] {
                assert!(node.fetch().is_err(), "expired {expired}");
            }
        }
    }
}

/// Its own messages are no news: what a node has put it serves without a question to the store.
#[test]
fn fc63_bug_i3_own_messages_end_nothing_of_the_node_that_sent_them() {
    let pair = Pair::new();
    let cache = &pair.one.numbers;
    pair.time.block_on(cache.put(&2, 22));
    pair.time.block_on(cache.put(&1, 11));
    pair.time.block_on(cache.invalidate(&3));
    beat(&pair.time);
    let asked = |operation| pair.one.failing.calls(operation);
    let reads = asked(FarOperation::Read);
    for _ in 0..10 {
        assert_eq!((pair.held(), pair.fetch()), (Some(11), 11));
        let other = pair.time.block_on(cache.get(&2)).value();
        assert_eq!(other.as_deref(), Some(&22));
    }
    assert_eq!(asked(FarOperation::Read), reads);
    assert_eq!(pair.source.calls(), 0);
}

#[test]
fn fc65_caches_of_different_names_do_not_hear_each_other() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    const NAMES: [&str; 5] = ["deals", "deal", "deals:1", "Deals", "deals*"];
    let node = || {
        let larder = larder(&time, &shelf);
        let cache =
            |name: &str| -> Cache<u64, u64> { larder.cache(name).ttl(TTL).far().build().unwrap() };
        (NAMES.map(cache), larder)
    };
    let ((ours, _one), (theirs, _two)) = (node(), node());
    beat(&time);
    for changed in 0..NAMES.len() {
        for change in 0..3 {
            time.block_on(async {
                for cache in ours.iter().chain(&theirs) {
                    let load = || async { larder_engine::Loaded::new(7).tag(TAG) };
                    cache.get_or_load(&1, load).await.unwrap();
                }
                match change {
                    0 => ours[changed].invalidate(&1).await,
                    1 => ours[changed].invalidate_tag(TAG).await,
                    _ => ours[changed].clear().await,
                };
            });
            for (at, cache) in theirs.iter().enumerate() {
                let before = cache.stats().near;
                time.block_on(cache.get(&1));
                let kept = cache.stats().near > before;
                assert_eq!(kept, at != changed, "{} of {}", NAMES[at], NAMES[changed]);
            }
        }
    }
}

/// What is back first.
#[derive(Debug, Clone, Copy, PartialEq)]
enum First {
    Store,
    Bus,
}

/// Changes are made while the store, or the messages, or both are down.
fn recovers(fault: Option<Fault>, cut: bool, first: First) {
    let case = format!("{fault:?}, cut {cut}, {first:?} first");
    let pair = Pair::new();
    let two = |pair: &Pair| pair.two.fetch(&pair.time, &pair.source);
    assert_eq!((pair.fetch(), two(&pair)), (1, 1));
    if let Some(fault) = fault {
        pair.one.failing.die(fault);
    }
    if cut {
        pair.one.bus.cut();
        pair.two.bus.cut();
    }
    let new = pair.source.change();
    let done = pair.time.block_on(pair.one.numbers.invalidate(&1));
    let expected = if fault.is_some() {
        Done::Queued
    } else {
        Done::Done
    };
    assert_eq!(done, expected, "{case}");
    assert_eq!(pair.held(), None, "{case}: on this node it holds at once");
    assert_eq!(pair.fetch(), new, "{case}");
    pair.time.advance(SECOND * 10);
    if cut && fault.is_none() {
        assert_eq!(two(&pair), new, "{case}: blind, it asks the store");
    }
    let heal = |what| match what {
        First::Store => pair.one.failing.heal(),
        First::Bus => {
            pair.one.bus.mend();
            pair.two.bus.mend();
        }
    };
    heal(first);
    pair.time.advance(SECOND * 5);
    heal(if first == First::Store {
        First::Bus
    } else {
        First::Store
    });
    pair.time.advance(SECOND * 5);
    assert_eq!(pair.pending(), 0, "{case}");
    assert_eq!((pair.fetch(), two(&pair)), (new, new), "{case}");
    let third = pair.source.change();
    pair.time.block_on(pair.two.numbers.invalidate(&1));
    assert_eq!(
        (pair.fetch(), two(&pair)),
        (third, third),
        "{case}: as ever"
    );
}

const FAULTS: [Fault; 4] = [Fault::NotSent, Fault::Lost, Fault::Done, Fault::Late];

#[test]
fn fc69_what_was_changed_while_the_store_was_down_holds_when_it_is_back() {
    for fault in FAULTS {
        recovers(Some(fault), false, First::Store);
    }
}

#[test]
fn fc70_what_was_changed_while_messages_were_down_holds_when_they_are_back() {
    recovers(None, true, First::Bus);
}

#[test]
fn fc71_what_was_changed_while_both_were_down_holds_when_they_are_back() {
    for fault in FAULTS {
        recovers(Some(fault), true, First::Store);
    }
}

#[test]
fn fc72_messages_may_be_back_before_the_store() {
    for fault in FAULTS {
        recovers(Some(fault), true, First::Bus);
    }
}

/// Names, parts that are missing, and a larder's caches apart from those of the default one.
#[test]
fn fc83_a_part_that_is_missing_is_an_error_that_names_it_and_names_are_a_larders_own() {
    let time = Virtual::new();
    let alone = crate::support::larder(&time);
    let far: Result<Cache<u64, u64>, _> = alone.cache("deals").ttl(TTL).far_only().build();
    let error = far.unwrap_err();
    assert_eq!(error.setting(), "far_only");
    assert!(error.to_string().contains("deals"), "{error}");
    let unnamed: Result<Cache<u64, u64>, _> = alone.cache("").build();
    assert_eq!(unnamed.unwrap_err().setting(), "name");
    let named: Cache<u64, u64> = alone.cache("deals").build().unwrap();
    let default: Cache<u64, u64> = Cache::builder("deals").build().unwrap();
    time.block_on(async {
        named.put(&1, 1).await;
        assert_eq!(default.get(&1).await.value(), None);
        default.clear().await;
        assert_eq!(named.get(&1).await.value().as_deref(), Some(&1));
    });
}
