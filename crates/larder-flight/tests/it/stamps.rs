//! What the stamps promise, for every order of raises and tickets.

use std::collections::HashSet;
use std::sync::Arc;
use std::thread;

use larder_core::{Moment, Ticket};
use larder_flight::{Slot, Stamps, Standing};
use proptest::prelude::*;

const NOW: Moment = Moment::from_nanos(0);
const SLOTS: u32 = 8;

#[derive(Debug, Clone, Copy)]
enum Step {
    Ticket,
    Raise(u32),
    RaiseAll,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Ticket),
        4 => (0..SLOTS).prop_map(Step::Raise),
        1 => Just(Step::RaiseAll),
    ];
    prop::collection::vec(step, 0..60)
}

/// What a ticket taken at `taken` is worth for `slot` after all `steps`, by the words of the docs.
fn expected(steps: &[Step], taken: usize, slot: u32) -> Standing {
    let since = &steps[taken..];
    if since.iter().any(|step| matches!(step, Step::RaiseAll)) {
        Standing::Cleared
    } else if since
        .iter()
        .any(|step| matches!(step, Step::Raise(raised) if *raised == slot))
    {
        Standing::Invalidated
    } else {
        Standing::Current
    }
}

proptest! {
    #[test]
    fn a_ticket_is_current_until_what_it_names_is_raised(steps in steps()) {
        let stamps = Stamps::new(SLOTS as usize);
        let mut tickets: Vec<(usize, Ticket)> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            match *step {
                Step::Ticket => tickets.push((at, stamps.ticket(NOW))),
                Step::Raise(slot) => drop(stamps.raise(Slot::new(slot))),
                Step::RaiseAll => drop(stamps.raise_all()),
            }
        }
        for (taken, ticket) in tickets {
            for slot in 0..SLOTS {
                let expected = expected(&steps, taken, slot);
                let slot = Slot::new(slot);
                prop_assert_eq!(stamps.standing(slot, ticket), expected);
                prop_assert_eq!(stamps.is_current(slot, ticket), expected == Standing::Current);
            }
        }
    }

    #[test]
    fn every_raise_has_a_clock_of_its_own(steps in steps()) {
        let stamps = Stamps::new(SLOTS as usize);
        let raises = steps.iter().filter_map(|step| match *step {
            Step::Ticket => None,
            Step::Raise(slot) => Some(stamps.raise(Slot::new(slot))),
            Step::RaiseAll => Some(stamps.raise_all()),
        });
        let clocks: Vec<u64> = raises.collect();
        prop_assert!(clocks.is_sorted_by(|a, b| a < b));
        prop_assert_eq!(stamps.ticket(NOW).clock, clocks.last().copied().unwrap_or(0));
    }

    #[test]
    fn borrowed_forms_have_the_slot_of_their_key(text: String, number: u64) {
        let stamps = Stamps::new(1 << 12);
        prop_assert_eq!(stamps.slot(text.as_str()), stamps.slot(&text));
        let key = (text.clone(), number);
        prop_assert_eq!(stamps.slot(&(text.as_str(), &number)), stamps.slot(&key));
    }

    #[test]
    fn any_index_is_some_slot(index: u32, slots in 0_usize..100) {
        let stamps = Stamps::new(slots);
        let ticket = stamps.ticket(NOW);
        stamps.raise(Slot::new(index));
        prop_assert!(!stamps.is_current(Slot::new(index), ticket));
    }
}

#[test]
fn slots_are_a_power_of_two_within_bounds() {
    let count = |slots| {
        let stamps = Stamps::new(slots);
        let seen: HashSet<_> = (0..40_000_u64).map(|key| stamps.slot(&key)).collect();
        seen.len()
    };
    assert_eq!([0, 1, 2, 3, 1_000].map(count), [1, 1, 2, 4, 1_024]);
}

#[test]
fn more_slots_than_the_most_are_the_most() {
    let stamps = Stamps::new(usize::MAX);
    assert!((0..10_000_u64).all(|key| stamps.slot(&key).index() < 1 << 20));
}

#[test]
fn keys_spread_over_the_slots() {
    let stamps = Stamps::new(1_024);
    let mut counts = vec![0; 1_024];
    for key in 0..102_400_u64 {
        counts[stamps.slot(&key).index() as usize] += 1;
    }
    // 100 on average; chance leaves these bounds once in 300 million runs.
    assert!(counts.iter().all(|count| (40..=180).contains(count)));
}

#[test]
fn a_seed_places_keys_the_same_way_again() {
    let slots = |seed| {
        let stamps = Stamps::seeded(1 << 16, seed);
        (0..50_u64).map(|key| stamps.slot(&key)).collect::<Vec<_>>()
    };
    assert_eq!(slots(7), slots(7));
    assert_ne!(slots(7), slots(8));
}

#[test]
fn two_caches_place_keys_differently() {
    let (one, other) = (Stamps::new(1 << 20), Stamps::new(1 << 20));
    assert!((0..64_u64).any(|key| one.slot(&key) != other.slot(&key)));
}

/// Each thread raises one slot of all and must find its own older tickets dead at once, whatever
/// the others do meanwhile.
#[test]
fn a_raise_that_has_returned_holds_on_every_thread() {
    let stamps = Arc::new(Stamps::new(1));
    let slot = Slot::new(0);
    let raise = || {
        let stamps = Arc::clone(&stamps);
        thread::spawn(move || {
            for _ in 0..20_000 {
                let ticket = stamps.ticket(NOW);
                let clock = stamps.raise(slot);
                assert!(!stamps.is_current(slot, ticket));
                assert!(stamps.ticket(NOW).clock >= clock);
            }
        })
    };
    let threads: Vec<_> = (0..4).map(|_| raise()).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(stamps.ticket(NOW).clock, 80_000);
    assert!(stamps.is_current(slot, stamps.ticket(NOW)));
}
