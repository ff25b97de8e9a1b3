//! A plain store as far tier.

mod corrupt;
mod failing;
mod races;
mod way;

use std::sync::Arc;

use larder_core::Store;
use larder_core::far::Abilities;
use larder_engine::{Larder, Unguarded};
use larder_kit::{MapStore, Virtual, contract};
use larder_memory::{Limits, Shelf};

use super::support::Node;
use crate::support::TTL;

fn map(time: &Virtual) -> MapStore {
    MapStore::new(time.hand().clock())
}

fn abilities(store: impl Store, time: &Virtual) -> Abilities {
    let unguarded = Unguarded::new(store, time.runtime());
    Abilities::default().guarded(&Arc::new(unguarded))
}

fn larder(time: &Virtual, store: impl Store) -> Larder {
    let larder = Larder::builder().runtime(time.clone()).far_unguarded(store);
    larder.build().unwrap()
}

fn node(time: &Virtual, store: impl Store) -> Node {
    let larder = larder(time, store);
    let numbers = larder.cache("numbers").ttl(TTL).far().build().unwrap();
    Node { larder, numbers }
}

fn far_only(time: &Virtual, store: impl Store) -> Node {
    let larder = larder(time, store);
    let numbers = larder.cache("numbers").ttl(TTL).far_only().build();
    let numbers = numbers.unwrap();
    Node { larder, numbers }
}

#[test]
fn it_keeps_the_whole_contract_of_guarded_where_one_operation_follows_another() {
    contract::guarded(|time| abilities(map(time), time));
}

#[test]
fn nothing_invalidated_comes_back_from_a_store_that_evicts() {
    for keys in [1, 4, 6, 8, 10, 12, 14, 20, 30] {
        let bytes = usize::MAX;
        let small = |time: &Virtual| Shelf::with_limits(time, Limits { keys, bytes });
        contract::lossy(|time| abilities(small(time), time));
    }
}
