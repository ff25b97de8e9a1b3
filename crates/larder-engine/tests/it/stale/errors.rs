//! Errors that are kept, if that is asked for, and what stands in for them.

use std::time::Duration;

use larder_core::LoadErrorKind::{Panicked, Source};
use larder_engine::{CacheBuilder, CallOptions, ErrorTtl, Got, Loaded};
use larder_kit::{KitError, Loader, Step, Virtual};

use super::rig::{LONG, Rig, THROTTLE, TTL, kind, says};
use crate::support::{INSTANT, SECOND, larder};

fn rig(settings: impl FnOnce(CacheBuilder<u64, String>) -> CacheBuilder<u64, String>) -> Rig {
    let time = Virtual::new();
    let cache = settings(larder(&time).cache("texts").ttl(TTL));
    Rig {
        cache: cache.build().unwrap(),
        loader: Loader::new(time.runtime()),
        time,
    }
}

#[test]
fn bug_e3_without_the_setting_no_error_is_kept() {
    let rig = rig(|cache| cache);
    for calls in 1..5 {
        rig.loader.then(Step::error("down"));
        assert!(says(&rig.fetch().unwrap_err(), "down"));
        assert_eq!(rig.loader.calls(), calls);
    }
    assert_eq!(rig.said().0, "loaded");
}

#[test]
fn cm5_an_error_is_kept_for_its_ttl_and_given_to_all_who_ask() {
    let rig = rig(|cache| cache.error_ttl(SECOND));
    rig.loader.then(Step::error("down"));
    for _ in 0..4 {
        let error = rig.fetch().unwrap_err();
        assert_eq!(error.kind(), Source);
        assert!(says(&error, "down"), "the function's own, not a text of it");
    }
    rig.time.hand().advance(SECOND - INSTANT);
    assert_eq!(kind(rig.fetch()), Source);
    assert_eq!(rig.loader.calls(), 1);
    let stats = rig.cache.stats();
    assert_eq!((stats.failed, stats.kept_errors), (5, 4));
    rig.time.hand().advance(INSTANT);
    assert_eq!(rig.said().0, "loaded");
}

#[test]
fn l4_by_the_error() {
    let rig = rig(|cache| {
        cache.error_ttl_by(|error| {
            let own = error.downcast_ref::<KitError>()?;
            own.to_string().contains("for long").then_some(SECOND * 9)
        })
    });
    rig.loader.then(Step::error("for a moment"));
    assert_eq!(kind(rig.fetch()), Source);
    rig.loader.then(Step::error("for long"));
    assert_eq!(kind(rig.fetch()), Source);
    assert_eq!(kind(rig.fetch()), Source);
    rig.loader.then(Step::panic("down"));
    rig.time.hand().advance(SECOND * 9);
    assert_eq!(kind(rig.fetch()), Panicked);
    assert_eq!(rig.said().0, "loaded", "a panic is none of them");
}

#[test]
fn fc36_a_load_says_by_its_error_how_long_that_is_kept() {
    let rig = rig(|cache| cache.error_ttl_by(|_| Some(SECOND * 2)));
    rig.loader.then(Step::error("down"));
    assert_eq!(kind(rig.fetch()), Source);
    rig.time.hand().advance(SECOND * 2 - INSTANT);
    assert_eq!(kind(rig.fetch()), Source);
    assert_eq!(rig.loader.calls(), 1);
    rig.time.hand().advance(INSTANT);
    assert_eq!(rig.said().0, "loaded");
}

#[test]
fn fc36_a_failed_load_says_how_long_its_stand_in_is_kept() {
    let rig = rig(|cache| cache);
    let ask = || {
        let loader = rig.loader.clone();
        let load = move || async move {
            let stand_in = |_| Loaded::new("stand-in".to_owned()).ttl(SECOND * 2);
            loader.call(1).await.map_or_else(stand_in, Loaded::new)
        };
        let asked = rig.cache.get_or_load(&1, load);
        rig.time.block_on(asked).unwrap()
    };
    rig.loader.then(Step::error("down"));
    assert_eq!(ask(), "stand-in");
    rig.loader.always(Step::value("new"));
    rig.time.hand().advance(SECOND * 2 - INSTANT);
    assert_eq!(ask(), "stand-in", "it is kept");
    rig.time.hand().advance(INSTANT);
    assert_eq!(ask(), "new", "and no longer");
    rig.time.hand().advance(TTL - INSTANT);
    assert_eq!(rig.said(), ("near", "new".into()), "the cache's own time");
}

#[test]
fn l4_timeouts_and_refusals_are_never_kept() {
    let rig = rig(|cache| cache.error_ttl_by(|_| Some(SECOND * 9)));
    rig.loader.then(Step::never());
    let call = rig.time.spawn(rig.call());
    rig.time.advance(LONG);
    assert!(rig.time.block_on(call).is_err());
    assert_eq!(rig.said().0, "loaded");
}

#[test]
fn l4_a_kept_error_is_invalidated_as_a_value_is() {
    for how in ["key", "clear", "put", "expire", "tag"] {
        let rig = rig(|cache| cache.error_ttl(SECOND));
        rig.loader.then(Step::error("down"));
        let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
        let options = CallOptions::new().tag("t");
        let call = async move {
            let load = move || loader.call(1);
            cache.get_or_load_with(&1, options, load).await
        };
        assert!(rig.time.block_on(call).is_err());
        rig.time.block_on(async {
            match how {
                "key" => rig.cache.invalidate(&1).await,
                "clear" => rig.cache.clear().await,
                "expire" => rig.cache.expire(&1).await,
                "tag" => rig.cache.invalidate_tag("t").await,
                _ => rig.cache.put(&1, "put".to_owned()).await,
            }
        });
        assert!(rig.fetch().is_ok(), "{how}");
    }
}

#[test]
fn l4_an_invalidation_while_the_load_fails_keeps_its_error_out() {
    let rig = rig(|cache| cache.error_ttl(SECOND));
    let gate = larder_kit::Gate::closed();
    rig.loader.then(Step::error("down").at(&gate));
    let call = rig.time.spawn(rig.call());
    rig.time.run_until_idle();
    rig.time.block_on(rig.cache.invalidate(&1));
    gate.open();
    assert!(rig.time.block_on(call).is_err());
    assert_eq!(rig.said().0, "loaded");
}

#[test]
fn bug_e3_an_old_value_is_preferred_to_a_kept_error() {
    let rig = Rig::with(|cache| cache.error_ttl(Duration::from_secs(99)));
    rig.aged("old");
    rig.loader.then(Step::error("down"));
    assert_eq!(rig.said().0, "stale-refresh");
    rig.at_rest();
    assert_eq!(rig.said(), ("stale-error", "old".into()));
    rig.time.hand().advance(THROTTLE);
    assert_eq!(rig.said().0, "stale-refresh");
}

#[test]
fn l4_a_look_gives_no_error() {
    let rig = rig(|cache| cache.error_ttl(SECOND));
    rig.loader.then(Step::error("down"));
    assert!(rig.fetch().is_err());
    assert_eq!(rig.time.block_on(rig.cache.get(&1)), Got::Unknown);
}

#[test]
fn l4_one_call_may_keep_errors() {
    let rig = rig(|cache| cache);
    rig.loader.then(Step::error("down"));
    let (cache, loader) = (rig.cache.clone(), rig.loader.clone());
    let options = CallOptions::new().error_ttl(ErrorTtl::of(SECOND));
    let call = async move {
        let load = move || loader.call(1);
        cache.get_or_load_with(&1, options, load).await
    };
    assert!(rig.time.block_on(call).is_err());
    assert_eq!(kind(rig.fetch()), Source);
    assert_eq!(rig.loader.calls(), 1);
}

#[test]
fn l4_a_batch_keeps_and_gives_errors_key_by_key() {
    let rig = rig(|cache| cache.error_ttl(SECOND));
    let batch = |fails: bool| {
        let load = move |keys: Vec<u64>| async move {
            let answer = |key: u64| match fails && key == 1 {
                true => Err("down"),
                false => Ok(key.to_string()),
            };
            keys.into_iter()
                .map(|key| (key, answer(key)))
                .collect::<Vec<_>>()
        };
        rig.time.block_on(rig.cache.get_or_load_many(&[1, 2], load))
    };
    let first = batch(true);
    assert!(first[0].is_err() && first[1].is_ok());
    let second = batch(false);
    assert!(second[0].is_err() && second[1].is_ok(), "it is kept");
    assert_eq!(rig.cache.stats().kept_errors, 1);
}
