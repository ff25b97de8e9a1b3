//! The byte store.

mod bounds;
mod cases;
mod flaws;
mod listeners;
mod mutants;
mod only_clock;
mod threads;
mod wild_bus;
mod wrapped;

use std::sync::Arc;

use larder_core::Store;
use larder_core::far::Abilities;
use larder_kit::{Virtual, contract};
use larder_memory::{Limits, Shelf};

use only_clock::OnlyClock;

fn abilities(time: &Virtual) -> Abilities {
    Arc::new(Shelf::new(time)).abilities()
}

#[test]
fn it_keeps_the_contract_of_guarded() {
    contract::guarded(abilities);
}

#[test]
fn it_keeps_the_contract_of_bus() {
    contract::bus(abilities);
}

#[test]
fn it_keeps_the_contract_of_sweep() {
    contract::sweep(abilities);
}

#[test]
fn nothing_invalidated_comes_back_from_a_store_that_evicts() {
    for keys in [1, 4, 6, 8, 10, 12, 14, 20, 30] {
        let bytes = usize::MAX;
        let small = |time: &Virtual| Shelf::with_limits(time, Limits { keys, bytes });
        contract::lossy(|time| Arc::new(small(time)).abilities());
    }
}

#[test]
fn it_keeps_the_contract_of_store() {
    contract::store(|clock| Shelf::new(&OnlyClock(clock)));
}
