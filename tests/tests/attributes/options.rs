//! Times of values, of absence and of loads.

use std::time::Duration;

use larder::{Cache, LoadError, LoadErrorKind, cacheable};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, cache};

type Numbers = Cache<u64, usize>;

#[cacheable(cache, key = no, ttl = "1m30s", absent_ttl = "5s")]
async fn by_text(cache: &Numbers, no: u64, calls: &Calls) -> Result<Option<usize>, LoadError> {
    let call = calls.enter();
    Ok((no > 0).then_some(call))
}

#[cacheable(cache, key = no, ttl = Duration::from_secs(no))]
async fn by_expression(cache: &Numbers, no: u64, calls: &Calls) -> Result<usize, LoadError> {
    Ok(calls.enter())
}

#[test]
fn a_value_and_absence_end_at_their_own_times() {
    let time = Virtual::new();
    let (cache, calls) = (cache(&time), Calls::default());
    let loads = |no: u64| {
        let before = calls.count();
        let answer = time.block_on(by_text(&cache, no, &calls));
        assert!(answer.is_ok());
        calls.count() > before
    };
    assert!(loads(0) && loads(1));
    time.advance(Duration::from_millis(4_999));
    assert!(!loads(0) && !loads(1));
    time.advance(Duration::from_millis(1));
    assert!(loads(0) && !loads(1));
    time.advance(Duration::from_millis(84_999));
    assert!(!loads(1));
    time.advance(Duration::from_millis(1));
    assert!(loads(1));
}

#[test]
fn a_time_may_depend_on_the_arguments() {
    let time = Virtual::new();
    let (cache, calls) = (cache(&time), Calls::default());
    let load = |no: u64| time.block_on(by_expression(&cache, no, &calls)).ok();
    assert_eq!((load(10), load(20)), (Some(1), Some(2)));
    time.advance(Duration::from_secs(10));
    assert_eq!((load(10), load(20)), (Some(3), Some(2)));
}

#[cacheable(cache, key = no, deadline = deadline)]
async fn hangs(
    cache: &Numbers,
    no: u64,
    deadline: Duration,
    gate: &Gate,
) -> Result<usize, LoadError> {
    gate.wait().await;
    Ok(no as usize)
}

#[test]
fn a_deadline_ends_the_wait_and_frees_the_key() {
    let time = Virtual::new();
    let (cache, gate) = (cache(&time), Gate::closed());
    let deadline = Duration::from_secs(2);
    let held = gate.clone();
    let waiting = cache.clone();
    let call = time.spawn(async move { hangs(&waiting, 5, deadline, &held).await });
    time.run_until_idle();
    time.advance(deadline - Duration::from_millis(1));
    assert!(!call.is_finished());
    time.advance(Duration::from_millis(1));
    let error = time.block_on(call).expect_err("the deadline has passed");
    assert_eq!(error.kind(), LoadErrorKind::TimedOut);
    gate.open();
    assert_eq!(
        time.block_on(hangs(&cache, 5, deadline, &gate)).ok(),
        Some(5)
    );
}
