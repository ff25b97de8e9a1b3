//! How much is kept, and what it costs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::entry;
use larder_memory::{Bound, Near};

/// A map in which a value weighs what it says.
fn by_value(max: u64) -> Near<u64, u64> {
    Near::new(Bound::Weight {
        max,
        weigh: Arc::new(|_, value| value.copied().unwrap_or(0)),
    })
}

#[test]
fn a_million_keys_never_pass_a_bound_of_a_thousand_and_fill_it() {
    let near = Near::new(Bound::Entries(1_000));
    for key in 0..1_000_000_u64 {
        near.insert(key, entry(Some(key), 1));
        if key % 997 == 0 {
            assert!(near.len() <= 1_000);
        }
    }
    assert_eq!(near.len() as u64, near.capacity(), "every part is full");
    assert_eq!(near.weight(), near.len() as u64);
    assert!((993..=1_000).contains(&near.capacity()));
}

#[test]
fn small_bounds_hold_exactly() {
    for bound in [1, 2, 3, 10, 32, 100, 255] {
        let near = Near::new(Bound::Entries(bound));
        for key in 0..bound as u64 {
            near.insert(key, entry(Some(key), 1));
        }
        assert_eq!(near.len(), bound, "all {bound} have room");
        for key in 0..10_000_u64 {
            near.insert(key, entry(Some(key), 1));
            assert!(near.len() <= bound);
        }
        assert_eq!((near.len(), near.capacity()), (bound, bound as u64));
    }
}

#[test]
fn a_bound_of_nothing_keeps_nothing() {
    let near = Near::new(Bound::Entries(0));
    near.insert(1_u64, entry(Some(1_u64), 1));
    assert!(near.is_empty() && near.get(&1).is_none());
    let near = by_value(0);
    near.insert(1, entry(Some(1), 1));
    assert!(near.is_empty());
}

#[test]
fn a_bound_without_end_can_be_asked_for() {
    let near = Near::new(Bound::Entries(usize::MAX));
    near.insert(1_u64, entry(Some(1_u64), 1));
    assert_eq!(near.len(), 1);
    let near = by_value(u64::MAX);
    near.insert(1, entry(Some(u64::MAX), 1));
    assert_eq!((near.len(), near.weight()), (1, u32::MAX.into()));
}

#[test]
fn weights_add_up_and_never_pass_the_bound() {
    let near = by_value(1_000);
    for key in 0..10_000 {
        near.insert(key, entry(Some(key % 50), 1));
        assert!(near.weight() <= 1_000);
    }
    let sum: u64 = (0..10_000)
        .filter_map(|key| near.get(&key)?.value)
        .map(|weight| (*weight).max(1))
        .sum();
    assert_eq!(near.weight(), sum);
    assert!(sum >= 800, "only {sum}");
}

#[test]
fn an_absence_and_a_weight_of_zero_weigh_one() {
    let near = by_value(10);
    near.insert(1, entry(None, 1));
    near.insert(2, entry(Some(0), 1));
    assert_eq!((near.len(), near.weight()), (2, 2));
    for key in 3..1_000 {
        near.insert(key, entry(Some(0), 1));
    }
    assert_eq!(near.len(), 10);
}

#[test]
fn an_entry_too_heavy_is_not_kept_and_takes_its_predecessor_with_it() {
    let near = by_value(100);
    assert!(!near.insert(1, entry(Some(5), 1)).is_refusal());
    assert!(!near.insert(2, entry(Some(5), 1)).is_refusal());
    assert!(near.insert(1, entry(Some(101), 1)).is_refusal());
    assert!(near.get(&1).is_none());
    assert_eq!((near.len(), near.weight()), (1, 5));
}

#[test]
fn an_entry_of_a_tenth_of_the_bound_is_always_kept() {
    for max in [10, 100, 999, 1_000, 4_097, 1 << 20, 1 << 32] {
        let near = by_value(max);
        near.insert(1, entry(Some(max / 10), 1));
        assert!(near.get(&1).is_some(), "a tenth of {max}");
    }
}

#[test]
fn a_replaced_entry_weighs_no_longer() {
    let near = by_value(100);
    for weight in [10, 40, 1, 90, 7] {
        near.insert(1, entry(Some(weight), 1));
        assert_eq!((near.len(), near.weight()), (1, weight));
    }
}

#[test]
fn a_weigher_is_asked_once_and_may_change_its_mind_or_panic() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let near: Near<u64, u64> = Near::new(Bound::Weight {
        max: 1_000,
        weigh: Arc::new(move |key, _| {
            assert!(*key != 13, "no weight for 13");
            count.fetch_add(1, Ordering::SeqCst) as u64
        }),
    });
    for key in 0..10 {
        near.insert(key, entry(Some(key), 1));
    }
    assert_eq!(asked.load(Ordering::SeqCst), 10);
    assert_eq!(near.weight(), 1 + (1..10).sum::<u64>());
    let panic = catch_unwind(AssertUnwindSafe(|| near.insert(13, entry(Some(13), 1))));
    assert!(panic.is_err());
    near.clear();
    assert_eq!((near.len(), near.weight()), (0, 0));
}

#[test]
fn what_is_used_often_survives_a_scan() {
    let near = Near::new(Bound::Entries(100));
    for key in 0..50_u64 {
        near.insert(key, entry(Some(key), 1));
    }
    for _ in 0..3 {
        for key in 0..50_u64 {
            assert!(near.get(&key).is_some());
        }
    }
    for key in 1_000..2_000_u64 {
        near.insert(key, entry(Some(key), 1));
    }
    let kept = (0..50_u64).filter(|key| near.get(key).is_some()).count();
    assert!(kept >= 45, "only {kept} of 50");
}

#[test]
fn a_hit_and_a_miss_allocate_nothing() {
    let near: Near<String, String> = Near::new(Bound::Entries(1_000));
    let pairs: Near<(String, u64), u8> = Near::new(Bound::Entries(1_000));
    near.insert("a".to_owned(), entry(Some("value".to_owned()), 1));
    pairs.insert(("EUR".to_owned(), 7), entry(Some(1), 1));
    let used = allocation_counter::measure(|| {
        for _ in 0..100 {
            assert!(near.get("a").is_some() && near.get("b").is_none());
            assert!(pairs.get(&("EUR", 7)).is_some());
        }
    });
    assert_eq!(used.count_total, 0);
}
