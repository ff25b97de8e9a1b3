//! What loads say of their results counts also where nobody waits for them, and so does how they end.

use std::fmt::Error;

use larder_core::LoadError;
use larder_engine::Loaded;
use larder_kit::{Gate, Step};

use super::rig::{LONG, Rig, THROTTLE, TTL, Texts};
use crate::support::{INSTANT, SECOND, begin};

/// A load that says its own time and tag, once the gate is open.
async fn load(cache: Texts, gate: Gate) -> Result<String, LoadError> {
    let load = move || async move {
        gate.wait().await;
        Loaded::new("new".to_owned()).ttl(SECOND * 3).tag("fruit")
    };
    cache.get_or_load(&1, load).await
}

/// What was loaded is fresh for the time that it said, and goes by the tag that it said.
fn holds_as_said(rig: &Rig) {
    rig.loader.then(Step::value("next"));
    rig.time.advance(SECOND * 3 - INSTANT);
    assert_eq!(rig.said(), ("near", "new".into()));
    assert_eq!(rig.loader.calls(), 1, "of the first value");
    rig.time.block_on(rig.cache.invalidate_tag("fruit"));
    assert_eq!(rig.said(), ("loaded", "next".into()));
}

#[test]
fn s2_what_a_refresh_behind_a_stale_answer_says_of_its_result_counts() {
    let rig = Rig::new();
    rig.aged("old");
    let call = load(rig.cache.clone(), Gate::opened());
    assert_eq!(rig.time.block_on(call).unwrap(), "old");
    rig.time.run_until_idle();
    holds_as_said(&rig);
}

#[test]
fn s2_what_a_load_says_past_the_soft_deadline_counts() {
    let rig = Rig::with(|cache| cache.soft(SECOND));
    rig.aged("old");
    let gate = Gate::closed();
    let call = rig.time.spawn(load(rig.cache.clone(), gate.clone()));
    rig.time.advance(SECOND);
    assert_eq!(rig.time.block_on(call).unwrap(), "old");
    gate.open();
    rig.time.run_until_idle();
    holds_as_said(&rig);
}

/// The load says that there is nothing any more, and nobody waited to hear it.
#[test]
fn s2_an_error_without_a_fallback_ends_the_old_value_also_behind_a_stale_answer() {
    let rig = Rig::new();
    rig.aged("old");
    let cache = rig.cache.clone();
    let gone = move || async { Err::<String, _>(LoadError::source(Error).without_fallback()) };
    let call = async move { cache.get_or_load(&1, gone).await };
    assert_eq!(rig.time.block_on(call).unwrap(), "old");
    rig.time.run_until_idle();
    assert!(rig.time.block_on(rig.cache.get(&1)).value().is_none());
    rig.loader.then(Step::error("down"));
    assert!(rig.fetch().is_err(), "nor is it a fallback of other errors");
}

/// One that is put while the load runs is newer than what the load says.
#[test]
fn s2_an_error_without_a_fallback_leaves_what_is_newer() {
    let rig = Rig::new();
    rig.aged("old");
    let (cache, gate) = (rig.cache.clone(), Gate::closed());
    let wait = gate.clone();
    let gone = move || async move {
        wait.wait().await;
        Err::<String, _>(LoadError::source(Error).without_fallback())
    };
    let call = async move { cache.get_or_load(&1, gone).await };
    assert_eq!(rig.time.block_on(call).unwrap(), "old");
    rig.time.run_until_idle();
    rig.time.block_on(rig.cache.put(&1, "new".to_owned()));
    gate.open();
    rig.time.run_until_idle();
    assert_eq!(rig.said(), ("near", "new".into()));
}

#[test]
fn t4_a_load_that_hangs_is_followed_by_the_throttle_though_its_callers_have_left() {
    let rig = Rig::new();
    rig.loader.then(Step::value("old"));
    rig.fetch().unwrap();
    // What was expired is given only where a load has failed, so that the caller waits.
    rig.time.block_on(rig.cache.expire(&1));
    rig.loader.then(Step::never());
    let mut call = Box::pin(rig.call());
    begin(&rig.time, &mut call);
    drop(call);
    rig.time.advance(LONG / 4 * 3);
    assert_eq!(rig.loader.calls(), 2);
    assert_eq!(rig.said(), ("stale-error", "old".into()), "at once");
    assert_eq!(rig.loader.calls(), 2);
    rig.time.advance(THROTTLE);
    rig.loader.then(Step::value("new"));
    assert_eq!(rig.said(), ("loaded", "new".into()));
    rig.time.hand().advance(TTL);
}
