//! One name, one cache, for as long as anybody holds it.

use std::sync::Arc;

use larder_engine::{BuildError, Cache, Larder};
use larder_kit::Virtual;

use crate::support::{Numbers, Source, begin, larder};

fn deals(larder: &Larder) -> Result<Numbers, BuildError> {
    larder.cache("deals").build()
}

#[test]
fn a_name_that_is_held_is_taken_for_every_type() {
    let larder = larder(&Virtual::new());
    let held = deals(&larder).unwrap();
    assert_eq!(held.name(), "deals");
    assert_eq!(deals(&larder).unwrap_err().setting(), "name");
    let other: Result<Cache<String, Vec<u8>>, _> = larder.cache("deals").build();
    assert!(other.unwrap_err().to_string().contains("taken"));
    assert!(larder.cache::<u64, u64>("Deals").build().is_ok());
}

#[test]
fn a_name_is_free_when_the_last_clone_is_dropped() {
    let larder = larder(&Virtual::new());
    let first = deals(&larder).unwrap();
    let clone = first.clone();
    drop(first);
    assert!(deals(&larder).is_err());
    drop(clone);
    assert!(deals(&larder).is_ok());
}

#[test]
fn a_running_load_holds_the_name_until_it_ends() {
    let time = Virtual::new();
    let larder = larder(&time);
    let source = Source::held();
    let mut call = Box::pin(source.fetch(&deals(&larder).unwrap(), 1));
    begin(&time, &mut call);
    drop(call);
    time.run_until_idle();
    assert!(deals(&larder).is_err());
    source.gate.open();
    time.run_until_idle();
    assert!(deals(&larder).is_ok());
}

#[test]
fn a_name_means_nothing_to_another_larder() {
    let time = Virtual::new();
    let (one, two) = (larder(&time), larder(&time));
    let (ours, theirs) = (deals(&one).unwrap(), deals(&two).unwrap());
    time.block_on(async {
        ours.put(&1, 7).await;
        assert!(theirs.get(&1).await.value().is_none());
    });
}

#[test]
fn clones_of_a_larder_and_of_a_cache_are_the_same() {
    let time = Virtual::new();
    let larder = larder(&time);
    let other = larder.clone();
    let cache = deals(&other).unwrap();
    assert!(deals(&larder).is_err());
    let clone = cache.clone();
    time.block_on(async {
        clone.put(&1, 7).await;
        assert_eq!(cache.get(&1).await.value(), Some(Arc::new(7)));
    });
    assert_eq!(cache.stats(), clone.stats());
}

#[test]
fn a_larder_lists_the_caches_that_are_held_by_name() {
    let time = Virtual::new();
    let larder = larder(&time);
    let names = || -> Vec<_> { larder.stats().into_iter().map(|(name, _)| name).collect() };
    let build = |name| -> Numbers { larder.cache(name).build().unwrap() };
    let (b, a) = (build("b"), build("a"));
    assert_eq!(names(), ["a".into(), "b".into()]);
    time.block_on(b.put(&1, 7));
    assert_eq!(larder.stats()[1].1, b.stats());
    assert_eq!(larder.stats()[1].1.puts, 1);
    drop(a);
    assert_eq!(names(), ["b".into()]);
}
