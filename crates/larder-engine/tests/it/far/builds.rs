//! Versions of a program with different types over one store.

use larder_engine::{Cache, Change as Done, Got, Outcome, Why};
use larder_kit::Virtual;
use larder_memory::Shelf;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::support::{larder, shelf};
use crate::support::TTL;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Deal {
    id: u64,
    price: u64,
    stock: u64,
}

/// The same fields in another order.
mod reordered {
    #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
    pub(super) struct Deal {
        pub(super) id: u64,
        pub(super) stock: u64,
        pub(super) price: u64,
    }
}

/// One field less.
mod shortened {
    #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
    pub(super) struct Deal {
        pub(super) id: u64,
        pub(super) price: u64,
    }
}

const DEAL: Deal = Deal {
    id: 7,
    price: 100,
    stock: 3,
};
const REORDERED: reordered::Deal = reordered::Deal {
    id: 7,
    stock: 3,
    price: 100,
};
const SHORTENED: shortened::Deal = shortened::Deal { id: 7, price: 100 };

/// One version of the program, on a node of its own.
struct Build<V> {
    time: Virtual,
    deals: Cache<u64, V>,
    value: V,
}

impl<V> Build<V>
where
    V: Clone + PartialEq + std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn new(time: &Virtual, shelf: &Shelf, value: V) -> Self {
        let deals = larder(time, shelf).cache("deals").ttl(TTL).far_only();
        Self {
            time: time.clone(),
            deals: deals.build().unwrap(),
            value,
        }
    }

    /// A call, whose value is never anything else than this version's.
    fn fetch(&self) -> Outcome {
        let value = self.value.clone();
        let fetched = self.deals.fetch(&7, || async move { value });
        let fetched = self.time.block_on(fetched).unwrap();
        assert_eq!(fetched.value, self.value);
        fetched.outcome
    }

    fn loads_for(&self, wanted: Why) {
        let outcome = self.fetch();
        assert!(
            matches!(outcome, Outcome::Loaded { why, stored: true, .. } if why == wanted),
            "{outcome:?}"
        );
    }

    fn hits(&self) {
        assert_eq!(self.fetch().detail(), "far");
    }
}

#[test]
fn bug_f1_fc60_cm10_what_another_build_stored_is_a_miss() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let old = Build::new(&time, &shelf, DEAL);
    let new = Build::new(&time, &shelf, REORDERED);
    old.loads_for(Why::Absent);
    assert_eq!(time.block_on(new.deals.get(&7)), Got::Unknown);
    new.loads_for(Why::Schema);
    assert_eq!(new.deals.stats().far_tier.unwrap().undecodable, 0);
}

#[test]
fn fc60_two_builds_side_by_side_do_not_evict_each_other() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let old = Build::new(&time, &shelf, DEAL);
    let new = Build::new(&time, &shelf, REORDERED);
    old.loads_for(Why::Absent);
    new.loads_for(Why::Schema);
    for _ in 0..5 {
        old.hits();
        new.hits();
    }
    // Of three the oldest goes, and it alone.
    let third = Build::new(&time, &shelf, SHORTENED);
    third.loads_for(Why::Schema);
    third.hits();
    new.hits();
    old.loads_for(Why::Schema);
}

#[test]
fn fc60_an_invalidation_by_either_build_reaches_both() {
    for by_old in [true, false] {
        let time = Virtual::new();
        let shelf = shelf(&time);
        let old = Build::new(&time, &shelf, DEAL);
        let new = Build::new(&time, &shelf, REORDERED);
        old.loads_for(Why::Absent);
        new.loads_for(Why::Schema);
        let done = if by_old {
            time.block_on(old.deals.invalidate(&7))
        } else {
            time.block_on(new.deals.invalidate(&7))
        };
        assert_eq!(done, Done::Done);
        old.loads_for(Why::Absent);
        new.loads_for(Why::Schema);
        let _ = time.block_on(new.deals.clear());
        old.loads_for(Why::Cleared);
        // By then the dead value has given way to the other build's.
        new.loads_for(Why::Schema);
    }
}

#[test]
fn fc60_a_put_of_one_build_ends_the_value_of_the_other() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let old = Build::new(&time, &shelf, DEAL);
    let new = Build::new(&time, &shelf, REORDERED);
    old.loads_for(Why::Absent);
    let _ = time.block_on(new.deals.put(&7, REORDERED));
    new.hits();
    old.loads_for(Why::Schema);
}
