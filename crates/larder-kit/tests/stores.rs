//! The reference store and the stores that disturb another.

use std::error::Error;
use std::time::Duration;

use futures_lite::future::{block_on, poll_once};
use larder_core::{Address, Fetched, ManualClock, Store, Ttl};
use larder_kit::{
    FailingError, FailingStore, Gate, MapStore, Operation, SlowStore, Virtual, contract,
};

const A: Address<'_> = Address::new("cache", b"a");

fn map() -> MapStore {
    MapStore::new(ManualClock::new().clock())
}

async fn put<S: Store>(store: &S) -> Result<(), S::Error> {
    store.put(A, "value".into(), Ttl::MIN).await
}

async fn is_there<S: Store>(store: &S) -> bool {
    matches!(store.get(A).await, Ok(Fetched::Found(_)))
}

#[test]
fn the_reference_store_and_the_quiet_wrappers_keep_the_contract() {
    contract::store(MapStore::new);
    contract::store(|clock| FailingStore::new(MapStore::new(clock)));
    contract::store(|clock| SlowStore::at(&Gate::opened(), MapStore::new(clock)));
}

#[test]
fn a_refused_operation_does_nothing_as_often_as_planned() {
    let store = FailingStore::new(map());
    store.refuse(Operation::Put, 2);
    for _ in 0..2 {
        let error = block_on(put(&store)).expect_err("it is refused");
        assert_eq!(error, FailingError::OnPurpose(Operation::Put));
        assert_eq!(error.to_string(), "Put fails on purpose");
        assert!(!block_on(is_there(&store)));
    }
    block_on(put(&store)).expect("the third is not refused");
    assert!(block_on(is_there(&store)));
}

#[test]
fn a_lost_answer_is_a_change_that_happened() {
    let store = FailingStore::new(map());
    store.lose_answers(Operation::Put, 1);
    assert!(block_on(put(&store)).is_err());
    assert!(block_on(is_there(&store)));
}

#[test]
fn a_dead_store_fails_in_all_it_does_until_it_is_healed() {
    let store = FailingStore::new(map());
    let same = store.clone();
    same.die();
    for _ in 0..3 {
        assert!(block_on(store.get(A)).is_err());
        assert!(block_on(put(&store)).is_err());
        assert!(block_on(store.remove(A)).is_err());
        assert!(block_on(store.get_many(&[A])).is_err());
        assert!(block_on(store.remove_many(&[A])).is_err());
    }
    same.heal();
    assert!(block_on(put(&store)).is_ok() && block_on(is_there(&store)));
}

#[test]
fn an_error_underneath_is_kept_with_its_source() {
    let inner = FailingStore::new(map());
    inner.refuse(Operation::Get, usize::MAX);
    let outer = FailingStore::new(inner);
    let error = block_on(outer.get(A)).expect_err("the inner store refuses");
    let source = error.source().expect("the inner error");
    assert_eq!(source.to_string(), "Get fails on purpose");
    assert_eq!(error.to_string(), source.to_string());
}

#[test]
fn a_slow_store_waits_at_its_gate_before_each_operation() {
    let gate = Gate::closed();
    let time = Virtual::new();
    let store = SlowStore::at(&gate, map());
    let mut waiting = Box::pin(put(&store));
    assert_eq!(time.block_on(poll_once(&mut waiting)), None);
    assert_eq!(gate.waiting(), 1);
    drop(waiting);
    gate.open();
    assert!(!time.block_on(is_there(&store)), "who left changed nothing");
    time.block_on(async {
        put(&store).await.expect("maps do not fail");
        assert!(is_there(&store).await);
    });
}

#[test]
fn a_slow_store_takes_its_time() {
    let time = Virtual::auto();
    let start = time.now();
    let store = SlowStore::after(Duration::from_millis(250), time.runtime(), map());
    time.block_on(async {
        put(&store).await.expect("maps do not fail");
        store.get_many(&[A, A]).await.expect("maps do not fail");
        store.remove_many(&[A]).await.expect("maps do not fail");
        store.remove(A).await.expect("maps do not fail");
    });
    assert_eq!(time.now().since(start), Duration::from_secs(1));
}
