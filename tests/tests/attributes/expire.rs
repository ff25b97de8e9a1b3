//! Loads that end with their callers, and evictions that keep a fallback.

use futures_lite::future::{poll_once, zip};
use larder::{Cache, LoadError, LoadErrorKind, cache_evict, cacheable};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, cache};

#[cacheable(cache, key = no, load = cancel)]
async fn number(
    cache: &Cache<u64, usize>,
    no: u64,
    calls: &Calls,
    gate: &Gate,
) -> Result<usize, LoadError> {
    let call = calls.enter();
    gate.wait().await;
    Ok(call)
}

#[test]
fn l2_a_cancelled_load_ends_with_its_last_caller_and_not_before() {
    let time = Virtual::new();
    let (cache, calls, gate) = (cache(&time), Calls::default(), Gate::closed());
    let call = || Box::pin(number(&cache, 1, &calls, &gate));
    time.block_on(async {
        let (mut first, mut second) = (call(), call());
        assert!(
            zip(poll_once(&mut first), poll_once(&mut second))
                .await
                .0
                .is_none()
        );
        gate.arrived(1).await;
        drop(first);
        gate.open();
        assert_eq!(second.await.unwrap(), 1, "one caller was left");

        cache.clear().await;
        gate.close();
        let mut only = call();
        assert!(poll_once(&mut only).await.is_none());
        gate.arrived(1).await;
    });
    time.run_until_idle();
    assert_eq!(
        (gate.waiting(), cache.stats().running),
        (0, 0),
        "it was dropped"
    );
    gate.open();
    assert_eq!(
        time.block_on(call()).unwrap(),
        3,
        "and nothing of it was stored"
    );
}

#[cache_evict(cache, key = no, expire)]
async fn expired(cache: &Cache<u64, u64>, no: u64, fails: bool) -> Result<(), LoadError> {
    match fails {
        true => Err(LoadError::new(LoadErrorKind::Source, "no")),
        false => Ok(()),
    }
}

#[test]
fn i3_an_expired_entry_is_not_fresh_after_a_success_alone() {
    let time = Virtual::new();
    let cache: Cache<u64, u64> = cache(&time);
    time.block_on(async {
        cache.put(&1, 7).await;
        assert!(expired(&cache, 1, true).await.is_err());
        assert!(cache.get(&1).await.value().is_some());
        expired(&cache, 1, false).await.unwrap();
        assert!(cache.get(&1).await.value().is_none());
    });
}
