//! Loads that borrow, in their caller's task.

use std::cell::Cell;
use std::pin::pin;

use larder_core::LoadErrorKind;
use larder_kit::{Gate, Virtual};

use crate::support::{SECOND, begin, numbers};

#[test]
fn a_scoped_load_borrows_and_need_not_be_send() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let calls = Cell::new(0);
    let load = || async {
        calls.set(calls.get() + 1);
        7_u64
    };
    for _ in 0..3 {
        let value = time.block_on(cache.get_or_load_scoped(&1, load));
        assert_eq!(value.unwrap(), 7);
    }
    assert_eq!(calls.get(), 1);
}

#[test]
fn others_join_a_scoped_load_and_go_on_with_their_own_when_its_caller_leaves() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let gate = Gate::closed();
    let waiting = |value: u64| {
        let gate = gate.clone();
        move || async move {
            gate.wait().await;
            value
        }
    };
    let mut first = Box::pin(cache.get_or_load_scoped(&1, waiting(1)));
    begin(&time, &mut first);
    let mut second = Box::pin(cache.get_or_load_scoped(&1, waiting(2)));
    begin(&time, &mut second);
    let mut third = Box::pin(cache.get_or_load(&1, waiting(3)));
    begin(&time, &mut third);
    assert_eq!(cache.stats().running, 1);
    drop(first);
    begin(&time, &mut third);
    begin(&time, &mut second);
    time.run_until_idle();
    assert_eq!((gate.waiting(), cache.stats().running), (1, 1));
    gate.open();
    let value = time.block_on(third).unwrap();
    assert_eq!(time.block_on(second).unwrap(), value);
    let stats = cache.stats();
    assert_eq!((stats.running, stats.abandoned), (0, 1));
}

#[test]
fn a_scoped_load_has_a_deadline_and_its_panic_is_an_error() {
    let time = Virtual::new();
    let cache = numbers(&time).deadline(SECOND).build().unwrap();
    let mut hung = pin!(cache.get_or_load_scoped(&1, std::future::pending::<u64>));
    begin(&time, hung.as_mut());
    time.advance(SECOND * 2);
    let error = time.block_on(hung).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::TimedOut);
    let panicked = cache.get_or_load_scoped(&1, || async {
        if true { panic!("on purpose") } else { 7_u64 }
    });
    let error = time.block_on(panicked).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Panicked);
    let value = time.block_on(cache.get_or_load_scoped(&1, || async { 7_u64 }));
    assert_eq!((value.unwrap(), cache.stats().running), (7, 0));
}

#[test]
fn a_scoped_call_that_was_never_polled_holds_nothing() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    drop(cache.get_or_load_scoped(&1, || async { 1_u64 }));
    assert_eq!(cache.stats().running, 0);
    let value = time.block_on(cache.get_or_load(&1, || async { 2_u64 }));
    assert_eq!(value.unwrap(), 2);
}
