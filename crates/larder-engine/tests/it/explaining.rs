//! What is known of one key, told to operators.

use larder_core::Runtime;
use larder_engine::__private::{After, Asked, Terms};
use larder_engine::{Explanation, Held, Mode, Stats};
use larder_kit::Virtual;

use crate::support::{Numbers, SECOND, Source, TTL, begin, numbers};

fn explained(time: &Virtual, cache: &Numbers) -> Explanation {
    time.block_on(cache.explain(&1))
}

/// Why what near holds is not used.
fn why(time: &Virtual, cache: &Numbers) -> &'static str {
    match explained(time, cache).near {
        Held::Unusable { why, age, .. } => {
            assert!(age.is_some());
            why.name()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_key_is_told_from_nothing_to_expired() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let nothing = explained(&time, &cache);
    assert_eq!((nothing.near, nothing.far), (Held::Nothing, Held::NoTier));
    assert_eq!((&*nothing.cache, nothing.mode), ("numbers", Mode::On));
    time.block_on(cache.put(&1, 7));
    time.advance(SECOND * 3);
    let Held::Usable {
        absence,
        age,
        left,
        tags,
        ..
    } = explained(&time, &cache).near
    else {
        panic!("it is held");
    };
    assert_eq!((absence, tags), (false, 0));
    assert_eq!((age, left), (SECOND * 3, Some(TTL - SECOND * 3)));
    time.block_on(cache.put(&1, None::<u64>));
    let near = explained(&time, &cache).near;
    assert!(matches!(near, Held::Usable { absence: true, .. }));
    time.hand().advance(TTL);
    assert_eq!(why(&time, &cache), "expired");
}

#[test]
fn what_names_an_entry_is_told_when_it_was_invalidated() {
    let time = Virtual::new();
    // One slot for all keys.
    let cache = numbers(&time).capacity(1).build().unwrap();
    let load = |tag: &str| {
        let terms = Terms {
            tags: vec![tag.to_owned()],
            ..Terms::default()
        };
        let place = Asked(&cache).place(&1).under(terms);
        let none = |_: &u64| After::default();
        let loaded: Result<u64, _> = time.block_on(place.load(|| async { 7 }, none));
        loaded.unwrap();
    };
    load("fruit");
    let near = explained(&time, &cache).near;
    assert!(matches!(near, Held::Usable { tags: 1, .. }), "{near:?}");
    time.block_on(cache.invalidate(&2));
    assert_eq!(why(&time, &cache), "invalidated");
}

#[test]
fn a_load_that_runs_and_a_switch_are_told() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let mut call = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut call);
    time.advance(SECOND * 2);
    cache.switch(Mode::ReadOnly);
    let told = explained(&time, &cache);
    assert_eq!(
        (told.loading, told.mode),
        (Some(SECOND * 2), Mode::ReadOnly)
    );
    source.gate.open();
    time.block_on(call).unwrap();
    assert_eq!(explained(&time, &cache).loading, None);
}

#[test]
fn to_explain_is_no_call() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    explained(&time, &cache);
    assert_eq!(cache.stats(), Stats::default());
    time.block_on(cache.put(&1, 7));
    let before = cache.stats();
    explained(&time, &cache);
    assert_eq!(cache.stats(), before);
}

#[test]
fn an_explanation_is_printed_without_key_or_value() {
    let time = Virtual::seeded(7);
    let cache = numbers(&time).build().unwrap();
    let secret = time.random();
    time.block_on(cache.put(&secret, secret));
    let told = time.block_on(cache.explain(&secret));
    for text in [told.to_string(), format!("{told:?}")] {
        assert!(!text.contains(&secret.to_string()), "{text}");
    }
    assert_eq!(
        told.to_string(),
        "cache numbers: on\nnear: a value, 0ns old, 300s left\nfar: no such tier"
    );
}
