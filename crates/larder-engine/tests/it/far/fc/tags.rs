//! Tags, and clear.

use larder_engine::Got;

use super::{each, each_with_a_window};
use crate::far::rig::{Pair, TAG, held, tagged, updated};
use crate::far::support::{larder, shelf};
use crate::support::{Numbers, Source, TTL};
use larder_kit::Virtual;

fn fetch(time: &Virtual, cache: &Numbers, source: &Source, tags: &[&str]) -> u64 {
    time.block_on(tagged(cache, source, tags)).unwrap()
}

#[test]
fn fc41_any_one_of_its_tags_ends_a_value() {
    each(|time, cache| {
        let source = Source::ready();
        for tag in ["a", "b", "c"] {
            fetch(time, cache, &source, &["a", "b", "c"]);
            let new = source.change();
            let _ = time.block_on(cache.invalidate_tag("d"));
            assert!(fetch(time, cache, &source, &["a", "b", "c"]) < new);
            let _ = time.block_on(cache.invalidate_tag(tag));
            assert_eq!(held(time.block_on(cache.get(&1))), None, "{tag}");
            assert_eq!(fetch(time, cache, &source, &["a", "b", "c"]), new);
        }
    });
}

#[test]
fn fc42_a_value_that_was_loaded_again_has_its_new_tags_alone() {
    each(|time, cache| {
        let source = Source::ready();
        fetch(time, cache, &source, &["old", "both"]);
        let _ = time.block_on(cache.invalidate(&1));
        fetch(time, cache, &source, &["new", "both"]);
        let _ = time.block_on(cache.invalidate_tag("old"));
        assert_eq!(held(time.block_on(cache.get(&1))), Some(1));
        let _ = time.block_on(cache.invalidate_tag("new"));
        assert_eq!(held(time.block_on(cache.get(&1))), None);
    });
}

#[test]
fn fc42_a_value_that_was_put_over_another_has_its_new_tags_alone() {
    each(|time, cache| {
        let source = Source::ready();
        fetch(time, cache, &source, &["old"]);
        let new = source.change();
        time.block_on(updated(cache, &source));
        let _ = time.block_on(cache.invalidate_tag("old"));
        assert_eq!(held(time.block_on(cache.get(&1))), Some(new));
        let _ = time.block_on(cache.invalidate_tag(TAG));
        assert_eq!(held(time.block_on(cache.get(&1))), None);
    });
}

/// What a call is given whose load fails, when this has ended the value that there was.
async fn fallback(cache: &Numbers, end: &str) -> Option<u64> {
    let _ = match end {
        "tag" => cache.invalidate_tag("a").await,
        "clear" => cache.clear().await,
        _ => cache.expire(&1).await,
    };
    let failing = || async { Err::<u64, _>("down".to_owned()) };
    cache.get_or_load(&1, failing).await.ok()
}

/// Of a tag there is no `expire`: it ends values for good. So does a clear.
#[test]
fn fc43_a_tag_ends_values_for_good() {
    for (end, old) in [("tag", None), ("clear", None), ("key", Some(1))] {
        each_with_a_window(|time, cache| {
            fetch(time, cache, &Source::ready(), &["a"]);
            assert_eq!(time.block_on(fallback(cache, end)), old, "{end}");
        });
    }
}

#[test]
fn fc44_a_clear_ends_all_and_a_tag_named_like_it_ends_none() {
    each(|time, cache| {
        let source = Source::ready();
        fetch(time, cache, &source, &["a"]);
        let _ = time.block_on(cache.put(&2, 2));
        let _ = time.block_on(cache.invalidate_tag("*"));
        assert_eq!(time.block_on(cache.get(&1)), Got::Value(1.into()));
        let _ = time.block_on(cache.clear());
        assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
        assert_eq!(time.block_on(cache.get(&2)), Got::Unknown);
    });
}

#[test]
fn fc45_two_caches_on_one_store_do_not_touch_each_other() {
    let time = Virtual::new();
    let larder = larder(&time, &shelf(&time));
    let build = |name: &str| larder.cache(name).ttl(TTL).far_only().build().unwrap();
    let (one, two): (Numbers, Numbers) = (build("a"), build("ab"));
    let source = Source::ready();
    fetch(&time, &one, &source, &["t"]);
    fetch(&time, &two, &source, &["t"]);
    time.block_on(async {
        let _ = one.invalidate_tag("t").await;
        assert_eq!(one.get(&1).await, Got::Unknown);
        assert_eq!(two.get(&1).await, Got::Value(1.into()));
        let _ = one.clear().await;
        let _ = one.invalidate(&1).await;
        assert_eq!(two.get(&1).await, Got::Value(1.into()));
    });
}

/// A node that starts after the clear has heard of nothing.
#[test]
fn fc47_a_clear_holds_for_a_node_that_starts_after_it() {
    let pair = Pair::new();
    pair.fill_far();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.clear());
    let late = crate::far::rig::Rig::over(&pair.time, &pair.shelf);
    assert_eq!(late.held(&pair.time), None);
    assert_eq!(late.fetch(&pair.time, &pair.source), new);
}

#[test]
fn fc49_a_value_without_tags_is_ended_by_none() {
    each(|time, cache| {
        let source = Source::ready();
        fetch(time, cache, &source, &[]);
        for tag in ["", "a", "numbers"] {
            let _ = time.block_on(cache.invalidate_tag(tag));
        }
        assert_eq!(held(time.block_on(cache.get(&1))), Some(1));
    });
}
