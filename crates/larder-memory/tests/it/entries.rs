//! What is found, replaced, swept and dropped.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::mpsc;
use std::sync::{Arc, Barrier, Weak};
use std::thread;
use std::time::Duration;

use crate::support::{Counts, entry};
use larder_core::Moment;
use larder_memory::{Bound, Entry, Near};
use proptest::prelude::*;

#[test]
fn a_key_is_found_by_every_borrowed_form_of_it() {
    let near: Near<(String, Option<u64>), u8> = Near::new(Bound::Entries(100));
    near.insert(("EUR".to_owned(), Some(7)), entry(Some(1), 1));
    near.insert(("EUR".to_owned(), None), entry(Some(2), 1));
    let value = |found: Option<Entry<u8>>| found.and_then(|entry| entry.value).map(|v| *v);
    assert_eq!(value(near.get(&("EUR", Some(7)))), Some(1));
    assert_eq!(value(near.get(&("EUR", Some(&7)))), Some(1));
    assert_eq!(value(near.get(&(&"EUR".to_owned(), None::<u64>))), Some(2));
    assert_eq!(value(near.get(&("EUR", Some(8)))), None);
    assert!(near.remove(&("EUR", Some(7))).is_some());
    assert!(near.remove(&("EUR", Some(7))).is_none());
    assert_eq!(near.len(), 1);
}

#[test]
fn an_entry_comes_back_as_it_was_put() {
    let near = Near::new(Bound::Entries(10));
    let mut put = entry(Some("v".to_owned()), 7);
    put.freshness.slot = 3;
    put.freshness.ticket.clock = 9;
    put.freshness.ticket.at = Moment::from_nanos(5);
    near.insert(1_u64, put.clone());
    near.insert(2_u64, entry(None, 8));
    let got = near.get(&1).expect("it was put");
    assert!(Arc::ptr_eq(
        &got.value.expect("a value"),
        &put.value.expect("a value")
    ));
    assert_eq!(
        (got.freshness.ends, got.freshness.ticket, got.freshness.slot),
        (put.freshness.ends, put.freshness.ticket, put.freshness.slot)
    );
    assert!(near.get(&2).expect("a remembered absence").value.is_none());
}

#[test]
fn nothing_of_a_value_shows_in_debug() {
    let near = Near::new(Bound::Entries(10));
    near.insert("user".to_owned(), entry(Some("secret".to_owned()), 7));
    let text = format!("{near:?} {:?}", near.get("user"));
    assert!(!text.contains("secret") && !text.contains("user"), "{text}");
}

#[test]
fn a_sweep_drops_what_is_expired_and_counts_it() {
    let near = Near::new(Bound::Entries(1_000));
    for key in 0..500_u64 {
        near.insert(key, entry((key % 7 > 0).then_some(key), key));
    }
    let limit = Moment::from_nanos(200);
    assert_eq!(near.sweep(|entry| entry.freshness.ends < limit), 200);
    assert_eq!((near.len(), near.weight()), (300, 300));
    assert!(near.get(&199).is_none() && near.get(&200).is_some());
    assert_eq!(near.sweep(|entry| entry.freshness.ends < limit), 0);
    assert_eq!(near.sweep(|_| true), 300);
    assert!(near.is_empty());
}

#[test]
fn every_value_is_dropped_exactly_once_and_none_too_early() {
    let counts = Counts::default();
    let near = Near::new(Bound::Entries(100));
    for key in 0..100_u64 {
        near.insert(key, entry(Some(counts.value()), key));
    }
    assert_eq!((near.len(), counts.alive()), (100, 100));
    near.insert(1, entry(Some(counts.value()), 1));
    assert_eq!((counts.alive(), counts.dropped()), (100, 1));
    let held = near.get(&2).expect("it was put");
    near.remove(&2);
    assert_eq!(counts.alive(), 100, "somebody still holds it");
    drop(held);
    assert_eq!(counts.alive(), 99);
    near.sweep(|entry| entry.freshness.ends < Moment::from_nanos(50));
    assert_eq!(counts.alive(), near.len());
    for key in 1_000..5_000_u64 {
        near.insert(key, entry(Some(counts.value()), key));
    }
    assert_eq!(counts.alive(), near.len());
    near.clear();
    assert_eq!((near.len(), counts.alive()), (0, 0));
    near.insert(1, entry(Some(counts.value()), 1));
    drop(near);
    assert_eq!(counts.alive(), 0);
}

/// A value that looks into its own map when it is dropped.
struct Prying(Weak<Near<u64, Self>>);

impl Drop for Prying {
    fn drop(&mut self) {
        if let Some(near) = self.0.upgrade() {
            near.insert(u64::MAX, entry(None, 1));
            near.remove(&u64::MAX);
            assert!(near.len() <= 10);
        }
    }
}

#[test]
fn values_are_dropped_under_no_lock() {
    let (done, is_done) = mpsc::channel();
    thread::spawn(move || {
        let near = Arc::new(Near::new(Bound::Entries(10)));
        let put = |key| drop(near.insert(key, entry(Some(Prying(Arc::downgrade(&near))), key)));
        (0..100).for_each(&put);
        (0..100).for_each(|key| put(key % 5));
        near.remove(&1);
        near.sweep(|entry| entry.freshness.ends < Moment::from_nanos(3));
        (0..100).for_each(&put);
        near.clear();
        assert!(near.is_empty());
        done.send(())
    });
    // A value dropped under a lock waits for itself.
    let end = is_done.recv_timeout(Duration::from_secs(60));
    end.expect("no lock is held, and nothing panics");
}

#[test]
fn many_threads_at_once_find_the_right_values_and_leak_none() {
    const THREADS: u64 = 4;
    let counts = Counts::default();
    let near = Arc::new(Near::new(Bound::Entries(300)));
    let start = Barrier::new(THREADS as usize);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (near, counts, start) = (&near, &counts, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..5_000_u64 {
                    let key = (round * 31 + thread * 17) % 1_000;
                    near.insert(key, entry(Some((key, counts.value())), key));
                    let other = (round * 7) % 1_000;
                    if let Some(found) = near.get(&other) {
                        assert_eq!(found.value.expect("a value").0, other);
                    }
                    match round % 1_000 {
                        250 => {
                            near.sweep(|entry| entry.freshness.ends < Moment::from_nanos(500));
                        }
                        500 => near.clear(),
                        _ => drop(near.remove(&((round * 13) % 1_000))),
                    }
                    assert!(near.len() <= 300);
                }
            });
        }
    });
    assert_eq!(counts.alive(), near.len());
    near.clear();
    assert_eq!((near.len(), near.weight(), counts.alive()), (0, 0, 0));
}

#[derive(Debug, Clone)]
enum Step {
    Insert(u8, u64),
    Remove(u8),
    Get(u8),
    Sweep(u64),
    Clear,
}

/// Fewer than what a bound of 255 has room for.
const KEYS: Range<u8> = 0..200;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (KEYS, 0..100_u64).prop_map(|(key, ends)| Step::Insert(key, ends)),
        2 => KEYS.prop_map(Step::Remove),
        4 => KEYS.prop_map(Step::Get),
        1 => (0..100_u64).prop_map(Step::Sweep),
        1 => Just(Step::Clear),
    ];
    prop::collection::vec(step, 0..400)
}

/// Runs the steps on the map and on a model, which never evicts.
fn run(near: &Near<u8, u64>, steps: Vec<Step>) -> HashMap<u8, u64> {
    let mut model = HashMap::new();
    for step in steps {
        match step {
            Step::Insert(key, ends) => {
                near.insert(key, entry(Some(ends), ends));
                model.insert(key, ends);
            }
            Step::Remove(key) => {
                let removed = near.remove(&key).is_some();
                let expected = model.remove(&key).is_some();
                assert!(expected || !removed);
            }
            Step::Get(key) => {
                let found = near.get(&key).map(|entry| entry.freshness.ends.as_nanos());
                assert!(found.is_none() || found == model.get(&key).copied());
            }
            Step::Sweep(limit) => {
                near.sweep(|entry| entry.freshness.ends < Moment::from_nanos(limit));
                model.retain(|_, ends| *ends >= limit);
            }
            Step::Clear => {
                near.clear();
                model.clear();
            }
        }
    }
    model
}

proptest! {
    #[test]
    fn with_room_for_all_it_is_a_map(steps in steps()) {
        let near = Near::new(Bound::Entries(255));
        let model = run(&near, steps);
        prop_assert_eq!(near.len(), model.len());
        for (key, ends) in model {
            let found = near.get(&key).expect("nothing was evicted");
            prop_assert_eq!(found.value.as_deref(), Some(&ends));
        }
    }

    #[test]
    fn without_room_it_forgets_and_never_errs(steps in steps(), bound in 1..40_usize) {
        let near = Near::new(Bound::Entries(bound));
        let model = run(&near, steps);
        prop_assert!(near.len() <= bound.min(model.len()));
        for key in 0..=u8::MAX {
            if let Some(found) = near.get(&key) {
                prop_assert_eq!(found.value.as_deref(), model.get(&key));
            }
        }
    }
}
