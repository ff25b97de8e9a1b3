//! Without a guard the simulator finds a broken promise, within the number of seeds that the page
//! about guards says.
//!
//! For builds with `--cfg larder_mutants`; `cargo xtask sim --mutants` makes one.
#![cfg(larder_mutants)]
#![allow(clippy::print_stdout, reason = "the table is for people")]

use std::sync::Mutex;
use std::thread;

use larder_core::guards::{Guard, without};
use larder_sim::{Profile, run};

const PAGE: &str = include_str!("../../../docs/src/contributing/mutants.md");

/// A guard, and where its loss must be found.
struct Mutant {
    guard: Guard,
    profile: Profile,
    within: u64,
}

/// The rows of the page that name a profile and a number of seeds.
fn mutants() -> Vec<Mutant> {
    let rows = PAGE.lines().filter(|line| line.starts_with("| `"));
    let rows = rows.filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let (profile, within) = cells[4].split_once(' ')?;
        let name = cells[1].trim_matches('`');
        let guard = Guard::ALL.iter().find(|guard| guard.name() == name);
        Some(Mutant {
            guard: *guard.unwrap_or_else(|| panic!("there is no guard {name}")),
            profile: Profile::named(profile).unwrap_or_else(|| panic!("no profile {profile}")),
            within: within.parse().unwrap(),
        })
    });
    rows.collect()
}

impl Mutant {
    /// The first seed that finds it, and what it finds.
    fn found(&self) -> Option<(u64, String)> {
        (0..self.within).find_map(|seed| {
            let found = without(&[self.guard], || run(seed, self.profile));
            found.err().map(|violation| (seed, violation.to_string()))
        })
    }
}

#[test]
fn the_simulator_misses_every_guard_in_time() {
    let mutants = mutants();
    assert!(mutants.len() > 20, "{} rows with seeds", mutants.len());
    let (left, missed) = (Mutex::new(mutants), Mutex::new(Vec::new()));
    let work = || {
        while let Some(mutant) = { left.lock().unwrap().pop() } {
            let (guard, profile) = (mutant.guard.name(), mutant.profile);
            match mutant.found() {
                Some((seed, violation)) => {
                    let violation: String = violation.chars().take(60).collect();
                    println!("without {guard:<22} {profile:<10} seed {seed:<4} {violation}");
                }
                None => missed.lock().unwrap().push((guard, profile, mutant.within)),
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let missed = missed.into_inner().unwrap();
    assert!(missed.is_empty(), "nothing found: {missed:?}");
}
