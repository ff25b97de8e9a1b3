//! A store that fails.

use std::time::Duration;

use larder_core::far::{FarError, Guarded, Part, Space, Want};
use larder_engine::{Change, Got, Unguarded};
use larder_kit::{FailingStore, MapStore, Operation, Virtual};

use super::{far_only, map, node};
use crate::far::support::Node;
use crate::support::{SECOND, Source};

fn failing(time: &Virtual) -> FailingStore<MapStore> {
    FailingStore::new(map(time))
}

fn pending(node: &Node) -> usize {
    let far = node.numbers.stats().far_tier;
    far.expect("there is a far tier").pending
}

#[test]
fn a_dead_store_fails_no_call_and_what_is_queued_is_done_when_it_is_back() {
    let time = Virtual::new();
    let store = failing(&time);
    let (one, two) = (node(&time, store.clone()), node(&time, store.clone()));
    let source = Source::ready();
    time.block_on(two.fetch(&source));
    store.die();
    let new = source.change();
    time.block_on(async {
        assert_eq!(one.fetch(&source).await.value, new);
        assert_eq!(one.numbers.invalidate(&1).await, Change::Queued);
        assert_eq!(one.numbers.clear().await, Change::Queued);
        assert_eq!(one.numbers.invalidate_tag("tag").await, Change::Queued);
        assert_eq!(one.numbers.expire(&1).await, Change::Queued);
        assert_eq!(one.numbers.put(&1, new).await, Change::Queued);
        assert_eq!(one.fetch(&source).await.value, new);
        assert_eq!(one.numbers.get(&2).await, Got::Unknown);
    });
    store.heal();
    time.advance(SECOND * 10);
    assert_eq!(pending(&one), 0);
    assert_eq!(time.block_on(two.fetch(&source)).value, new);
}

#[test]
fn each_command_may_fail_or_lose_its_answer() {
    let plans = [FailingStore::refuse, FailingStore::lose_answers];
    for (operation, plan) in Operation::ALL
        .iter()
        .flat_map(|one| plans.map(|plan| (*one, plan)))
    {
        let time = Virtual::new();
        let store = failing(&time);
        let node = far_only(&time, store.clone());
        let source = Source::ready();
        time.block_on(node.fetch(&source));
        plan(&store, operation, usize::MAX);
        for _ in 0..3 {
            let new = source.change();
            time.block_on(async {
                let _ = node.numbers.invalidate(&1).await;
                assert_eq!(node.fetch(&source).await.value, new, "{operation:?}");
                let new = source.change();
                let _ = node.numbers.put(&1, new).await;
                assert_eq!(node.fetch(&source).await.value, new, "{operation:?}");
                let new = source.change();
                let _ = node.numbers.clear().await;
                assert_eq!(node.fetch(&source).await.value, new, "{operation:?}");
            });
        }
        store.heal();
        time.advance(SECOND * 10);
        assert_eq!(pending(&node), 0, "{operation:?}");
    }
}

#[test]
fn a_store_that_takes_nothing_still_gives_what_it_has() {
    let time = Virtual::new();
    let store = failing(&time);
    let (one, two) = (node(&time, store.clone()), node(&time, store.clone()));
    let source = Source::ready();
    time.block_on(one.fetch(&source));
    store.refuse(Operation::Put, usize::MAX);
    assert_eq!(time.block_on(two.fetch(&source)).outcome.detail(), "far");
    time.block_on(async {
        assert_eq!(one.numbers.invalidate(&1).await, Change::Done);
        let new = source.change();
        let loaded = one.fetch(&source).await;
        assert_eq!((loaded.value, loaded.outcome.detail()), (new, "loaded"));
        assert_eq!(one.fetch(&source).await.outcome.detail(), "near");
    });
    assert_eq!(time.block_on(two.fetch(&source)).value, 1, "not blind yet");
    time.advance(Duration::from_secs(6));
    assert_eq!(time.block_on(two.fetch(&source)).value, 2);
}

#[test]
fn where_no_token_can_be_made_a_value_is_found_and_gives_no_ticket() {
    let time = Virtual::new();
    let store = failing(&time);
    let far = Unguarded::new(store.clone(), time.runtime());
    let space = Space::new("numbers".into(), 1, 7);
    time.block_on(async {
        let load = far.read(&space, &[b"1"], &[], Want::Load).await?.remove(0);
        let ticket = load.ticket.expect("a load gets a ticket");
        let part = Part {
            bytes: "value".into(),
            tags: &[],
            ends: SECOND,
        };
        far.store_if(&space, b"1", &ticket, part).await?;
        store.refuse(Operation::Put, usize::MAX);
        for (key, tags, found, ticket) in [
            (b"1", &[][..], true, true),
            (b"1", &["new"], true, false),
            (b"2", &[], false, false),
        ] {
            let read = far.read(&space, &[key], tags, Want::Load).await?.remove(0);
            let seen = (read.found.is_some(), read.ticket.is_some(), read.held);
            assert_eq!(seen, (found, ticket, false), "{key:?} under {tags:?}");
        }
        Ok::<(), FarError>(())
    })
    .expect("a put that fails is no failed read");
}
