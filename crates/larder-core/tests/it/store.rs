//! A store behind `AnyStore` is the store itself.

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_lite::future::{block_on, poll_once};
use larder_core::{Address, AnyStore, Fetched, ManualClock, Removed, Store, StoreError, Ttl};
use larder_kit::{FailingError, FailingStore, Gate, MapStore, Operation, SlowStore, contract};
use proptest::prelude::*;

const A: Address<'_> = Address::new("cache", b"a");
const B: Address<'_> = Address::new("cache", b"b");
const C: Address<'_> = Address::new("cache", b"c");

fn map() -> MapStore {
    MapStore::new(ManualClock::new().clock())
}

#[test]
fn a_store_behind_two_any_stores_keeps_the_contract() {
    contract::store(|clock| AnyStore::new(AnyStore::new(MapStore::new(clock))));
}

#[derive(Debug, Clone)]
enum Step {
    Get(u8),
    Put(u8, Vec<u8>, u64),
    Remove(u8),
    GetMany(Vec<u8>),
    RemoveMany(Vec<u8>),
    Advance(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = || 0..4_u8;
    let many = || prop::collection::vec(0..4_u8, 0..5);
    let step = prop_oneof![
        key().prop_map(Step::Get),
        (key(), any::<Vec<u8>>(), 1..60_u64).prop_map(|(key, bytes, s)| Step::Put(key, bytes, s)),
        key().prop_map(Step::Remove),
        many().prop_map(Step::GetMany),
        many().prop_map(Step::RemoveMany),
        (0..20_u64).prop_map(Step::Advance),
    ];
    prop::collection::vec(step, 0..40)
}

/// What each step answers.
fn run<S: Store>(steps: &[Step], make: impl Fn(MapStore) -> S) -> Vec<String> {
    let hand = ManualClock::new();
    let store = make(MapStore::new(hand.clock()));
    let keys: Vec<[u8; 1]> = (0..4).map(|key| [key]).collect();
    let at = |key: &u8| Address::new("cache", &keys[usize::from(*key)]);
    let all = |many: &[u8]| many.iter().map(at).collect::<Vec<_>>();
    let answer = |step: &Step| match step {
        Step::Get(key) => format!("{:?}", block_on(store.get(at(key)))),
        Step::Put(key, bytes, seconds) => {
            let ttl = Ttl::new(Duration::from_secs(*seconds)).expect("at least a second");
            format!(
                "{:?}",
                block_on(store.put(at(key), bytes.clone().into(), ttl))
            )
        }
        Step::Remove(key) => format!("{:?}", block_on(store.remove(at(key)))),
        Step::GetMany(many) => format!("{:?}", block_on(store.get_many(&all(many)))),
        Step::RemoveMany(many) => format!("{:?}", block_on(store.remove_many(&all(many)))),
        Step::Advance(seconds) => format!("{:?}", hand.advance(Duration::from_secs(*seconds))),
    };
    steps.iter().map(answer).collect()
}

proptest! {
    #[test]
    fn the_same_steps_have_the_same_answers_in_all_disguises(steps in steps()) {
        let plain = run(&steps, |map| map);
        prop_assert_eq!(&run(&steps, AnyStore::new), &plain);
        prop_assert_eq!(&run(&steps, |map| AnyStore::new(AnyStore::new(map))), &plain);
    }
}

#[test]
fn an_error_keeps_its_text_and_its_source_through_every_method() {
    let failing = FailingStore::new(map());
    failing.die();
    let store = AnyStore::new(failing);
    let check = |error: StoreError, operation| {
        let wanted = FailingError::<Infallible>::OnPurpose(operation);
        assert_eq!(error.to_string(), wanted.to_string());
        let source = error.source().expect("the store's own error");
        assert_eq!(source.downcast_ref(), Some(&wanted));
        let again = error.clone();
        assert_eq!(again.to_string(), error.to_string());
    };
    let put = store.put(A, Bytes::new(), Ttl::MIN);
    check(block_on(put).expect_err("put"), Operation::Put);
    check(block_on(store.get(A)).expect_err("get"), Operation::Get);
    check(
        block_on(store.remove(A)).expect_err("remove"),
        Operation::Remove,
    );
    check(
        block_on(store.get_many(&[A])).expect_err("get_many"),
        Operation::GetMany,
    );
    check(
        block_on(store.remove_many(&[A])).expect_err("remove_many"),
        Operation::RemoveMany,
    );
}

#[test]
fn the_first_error_of_a_defaulted_method_ends_it_and_what_was_done_stays() {
    let store = OneByOne(FailingStore::new(map()));
    let put = |address| store.0.put(address, "value".into(), Ttl::MIN);
    for address in [A, B, C] {
        block_on(put(address)).expect("nothing fails yet");
    }
    store.0.refuse(Operation::Get, 1);
    block_on(store.get_many(&[A, B])).expect_err("the first is refused");
    block_on(store.get_many(&[A, B])).expect("nothing more is refused");

    block_on(store.remove(A)).expect("nothing fails");
    store.0.refuse(Operation::Remove, 1);
    block_on(store.remove_many(&[B, C])).expect_err("the first is refused");
    let left = block_on(store.get_many(&[A, B, C])).expect("nothing fails");
    let left: Vec<_> = left
        .iter()
        .map(|fetched| *fetched != Fetched::Absent)
        .collect();
    assert_eq!(left, [false, true, true]);
}

/// A store with the three required methods alone.
struct OneByOne(FailingStore<MapStore>);

impl Store for OneByOne {
    type Error = FailingError<Infallible>;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, Self::Error> {
        self.0.get(address).await
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), Self::Error> {
        self.0.put(address, bytes, ttl).await
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, Self::Error> {
        self.0.remove(address).await
    }
}

/// Counts calls of what it overrides, and is never asked one by one.
#[derive(Default)]
struct InOneTrip(Arc<AtomicUsize>);

impl Store for InOneTrip {
    type Error = Infallible;

    async fn get(&self, _: Address<'_>) -> Result<Fetched, Infallible> {
        unreachable!("get_many is overridden")
    }

    async fn put(&self, _: Address<'_>, _: Bytes, _: Ttl) -> Result<(), Infallible> {
        unreachable!("nothing is put")
    }

    async fn remove(&self, _: Address<'_>) -> Result<Removed, Infallible> {
        unreachable!("remove_many is overridden")
    }

    async fn get_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Fetched>, Infallible> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(vec![Fetched::Absent; addresses.len()])
    }

    async fn remove_many(&self, addresses: &[Address<'_>]) -> Result<Vec<Removed>, Infallible> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(vec![Removed::Absent; addresses.len()])
    }
}

#[test]
fn overridden_methods_stay_so_behind_any_store() {
    let trips = Arc::new(AtomicUsize::new(0));
    let store = AnyStore::new(AnyStore::new(InOneTrip(Arc::clone(&trips))));
    let got = block_on(store.get_many(&[A, B])).expect("nothing fails");
    assert_eq!((got.len(), trips.load(Ordering::SeqCst)), (2, 1));
    let removed = block_on(store.remove_many(&[A, B, C])).expect("nothing fails");
    assert_eq!((removed.len(), trips.load(Ordering::SeqCst)), (3, 2));
}

#[test]
fn clones_are_one_store_and_a_dropped_call_has_not_begun() {
    let gate = Gate::closed();
    let store = AnyStore::new(SlowStore::at(&gate, map()));
    let mut waiting = Box::pin(store.put(A, "value".into(), Ttl::MIN));
    assert!(block_on(poll_once(&mut waiting)).is_none());
    drop(waiting);
    gate.open();
    assert_eq!(
        block_on(store.get(A)).expect("maps do not fail"),
        Fetched::Absent
    );
    let same = store.clone();
    block_on(store.put(A, "value".into(), Ttl::MIN)).expect("maps do not fail");
    assert_ne!(
        block_on(same.get(A)).expect("maps do not fail"),
        Fetched::Absent
    );
}
