//! Stores that lose keys, are full, or are shared by two versions of a program.

use larder_core::far::Sweep;
use larder_engine::Change as Done;
use larder_kit::Virtual;
use larder_memory::{Limits, Shelf};

use crate::far::rig::{Pair, Rig, TAG};
use crate::far::support::{beat, shelf};
use crate::support::{SECOND, Source, TTL};

/// All tokens are gone, and new ones are made: those that a load still holds name nothing.
#[test]
fn a_load_that_outlives_the_loss_of_its_tokens_stores_nothing() {
    let pair = Pair::new();
    pair.source.gate.close();
    let early = pair.call();
    pair.time.block_on(pair.shelf.purge("numbers")).unwrap();
    pair.source.change();
    // Makes the barriers and the key's token anew.
    let _ticket = pair.time.block_on(pair.two.numbers.ticket(&1));
    pair.source.gate.open();
    pair.time.block_on(early);
    assert_eq!(pair.one.numbers.stats().far_tier.unwrap().refused, 1);
    assert_eq!(pair.two.held(&pair.time), None);
}

/// The store is full: keys come and go as it likes, and what is read is new all the same.
#[test]
fn fc46_a_store_that_loses_tokens_and_barriers_gives_no_old_value() {
    for keys in 1..8 {
        let time = Virtual::new();
        let limits = Limits {
            keys,
            ..Limits::default()
        };
        let shelf = Shelf::with_limits(time.runtime().as_ref(), limits);
        let (one, two) = (Rig::over(&time, &shelf), Rig::over(&time, &shelf));
        beat(&time);
        let source = Source::ready();
        for round in 0..20 {
            one.fetch(&time, &source);
            two.fetch(&time, &source);
            let new = source.change();
            let done = time.block_on(async {
                match round % 4 {
                    0 => one.numbers.invalidate(&1).await,
                    1 => one.numbers.invalidate_tag(TAG).await,
                    2 => one.numbers.put(&1, new).await,
                    _ => one.numbers.clear().await,
                }
            });
            assert_eq!(done, Done::Done);
            assert_eq!(one.fetch(&time, &source), new, "{keys} keys, round {round}");
            time.advance(3 * SECOND);
            assert_eq!(two.fetch(&time, &source), new, "{keys} keys, round {round}");
        }
    }
}

fn version(time: &Virtual, shelf: &Shelf, number: u64) -> Rig {
    Rig::with(
        time,
        shelf,
        |larder| larder,
        |cache| cache.far().schema(number),
    )
}

/// The new version invalidates, and the old one is deployed again.
#[test]
fn an_invalidation_by_one_version_holds_after_a_roll_back_to_the_other() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let source = Source::ready();
    let old = version(&time, &shelf, 1);
    old.fetch(&time, &source);
    drop(old);
    let new = version(&time, &shelf, 2);
    let latest = source.change();
    let done = time.block_on(new.numbers.invalidate(&1));
    assert_eq!(done, Done::Done);
    drop(new);
    let again = version(&time, &shelf, 1);
    assert_eq!(again.held(&time), None);
    assert_eq!(again.fetch(&time, &source), latest);
}

/// Barriers live three times as long as what they guard, and are renewed.
#[test]
fn the_barriers_of_a_busy_cache_do_not_expire() {
    let pair = Pair::new();
    let life = 3 * (TTL + 30 * SECOND);
    pair.fetch();
    pair.time.advance(life - TTL / 2);
    pair.fetch();
    pair.time.advance(TTL / 2 + SECOND);
    assert_eq!(
        pair.two.held(&pair.time),
        Some(1),
        "loaded {:?} ago",
        TTL / 2
    );
}
