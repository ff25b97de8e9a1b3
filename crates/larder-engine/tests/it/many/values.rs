//! What a batch gives, and what it asks its source for.

use std::sync::Arc;

use larder_engine::{CallOptions, Fetched, Got, Outcome};
use larder_kit::Virtual;

use super::source::{Many, held};
use crate::support::{SECOND, numbers};

#[test]
fn m1_one_call_loads_what_is_missing_and_answers_come_in_order() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::ready());
    time.block_on(cache.put(&2, 22));
    let found = time.block_on(source.fetch(&cache, &[3, 2, 1]));
    assert_eq!(found, [Ok(Some(3000)), Ok(Some(22)), Ok(Some(1000))]);
    assert_eq!(source.calls(), [[3, 1]]);
    let again = time.block_on(source.fetch(&cache, &[1, 2, 3]));
    assert_eq!(again, [Ok(Some(1000)), Ok(Some(22)), Ok(Some(3000))]);
    assert_eq!(source.calls().len(), 1, "all are held");
}

#[test]
fn cfb1_duplicates_are_loaded_once_and_answered_each() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::ready());
    let found = time.block_on(source.fetch(&cache, &[7, 1, 7, 7]));
    let expected = [7000, 1000, 7000, 7000].map(|value| Ok(Some(value)));
    assert_eq!(found, expected);
    assert_eq!(source.calls(), [[7, 1]]);
    let stats = cache.stats();
    assert_eq!((stats.loaded, stats.near), (2, 0), "each key counts once");
    assert_eq!(time.block_on(held(&cache, &[7, 7])), [Some(7000); 2]);
    assert_eq!(cache.stats().near, 1);
}

#[test]
fn dg_keys_with_holes_are_absences_and_are_remembered_as_such() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::ready());
    let keys = [900, 1, 901];
    let found = time.block_on(source.fetch(&cache, &keys));
    assert_eq!(found, [Ok(None), Ok(Some(1000)), Ok(None)]);
    let got = time.block_on(cache.get_many(&[900, 1, 5]));
    assert!(matches!(
        got[..],
        [Got::KnownAbsent, Got::Value(_), Got::Unknown]
    ));
    time.block_on(source.fetch(&cache, &keys));
    assert_eq!(source.calls().len(), 1);
    // An absence has its own time.
    time.advance(SECOND * 11);
    time.block_on(source.fetch(&cache, &keys));
    assert_eq!(source.calls()[1], [900, 901]);
}

#[test]
fn cfb1_what_was_not_asked_for_is_dropped_and_the_last_of_two_pairs_counts() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let load = |_| async { [(1, 1), (9, 9), (1, 2)] };
    let found = time.block_on(cache.get_or_load_many(&[1], load));
    assert_eq!(found[0].as_ref().unwrap().as_deref(), Some(&2));
    assert_eq!(time.block_on(held(&cache, &[1, 9])), [Some(2), None]);
}

#[test]
fn cfb1_what_a_caller_does_with_its_answers_changes_nothing_that_is_held() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::ready());
    let load = move |keys| source.read(keys);
    let mut found = time.block_on(cache.get_or_load_many(&[1, 2], load));
    let mut first = found.remove(0).unwrap().unwrap();
    assert!(Arc::get_mut(&mut first).is_none(), "the cache holds it too");
    *Arc::make_mut(&mut first) = 7;
    found.clear();
    let kept = time.block_on(held(&cache, &[1, 2]));
    assert_eq!(kept, [Some(1000), Some(2000)]);
}

#[test]
fn no_keys_are_no_load_and_no_call() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::ready());
    assert!(time.block_on(source.fetch(&cache, &[])).is_empty());
    assert!(time.block_on(cache.get_many::<u64>(&[])).is_empty());
    time.block_on(cache.invalidate_many::<u64>(&[]));
    time.block_on(cache.put_many::<u64, u64, _>([]));
    assert_eq!(source.calls().len(), 0);
    assert_eq!(cache.stats(), larder_engine::Stats::default());
}

#[test]
fn each_answer_says_why_it_is_what_it_is() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::held());
    time.block_on(cache.put(&2, 22));
    let other = time.spawn(source.single(&cache, 3));
    time.run_until_idle();
    let from = source.clone();
    let call = time.spawn(async move {
        let load = move |keys| from.read(keys);
        cache.fetch_many(&[1, 2, 3], CallOptions::new(), load).await
    });
    time.run_until_idle();
    source.gate.open();
    let found = time.block_on(call);
    let why = |found: &Result<Fetched<_>, _>| found.as_ref().unwrap().outcome.detail();
    assert_eq!(
        found.iter().map(why).collect::<Vec<_>>(),
        ["loaded", "near", "joined"]
    );
    let stored = matches!(
        found[0].as_ref().unwrap().outcome,
        Outcome::Loaded { stored: true, .. }
    );
    assert!(stored);
    time.block_on(other).unwrap();
}

#[test]
fn options_hold_for_every_key_of_a_batch() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let load = |keys: Vec<u64>| async move { keys.into_iter().map(|key| (key, key)) };
    let options = CallOptions::new().ttl(SECOND).tag("fruit");
    time.block_on(cache.fetch_many(&[1, 2], options.clone(), load));
    assert_eq!(time.block_on(held(&cache, &[1, 2])), [Some(1), Some(2)]);
    time.block_on(cache.invalidate_tag("fruit"));
    assert_eq!(time.block_on(held(&cache, &[1, 2])), [None, None]);
    time.block_on(cache.fetch_many(&[1, 2], options, load));
    time.advance(SECOND);
    assert_eq!(time.block_on(held(&cache, &[1, 2])), [None, None]);
}

#[test]
fn values_put_in_one_call_are_held_and_invalidated_in_one_call() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(cache.put_many([(&1, 10), (&2, 20), (&3, 30), (&1, 11)]));
    let keys = [1, 2, 3];
    assert_eq!(
        time.block_on(held(&cache, &keys)),
        [Some(11), Some(20), Some(30)]
    );
    time.block_on(cache.invalidate_many(&[1, 3, 3]));
    assert_eq!(time.block_on(held(&cache, &[2])), [Some(20)]);
    assert_eq!(time.block_on(held(&cache, &[1, 3])), [None, None]);
    let stats = cache.stats();
    assert_eq!((stats.puts, stats.invalidations), (3, 2));
}
