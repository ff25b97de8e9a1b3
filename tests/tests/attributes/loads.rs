//! When the body runs, and how often.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_lite::future::zip;
use larder::{BoxFuture, Cache, LoadError, LoadErrorKind, cacheable, observe};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, cache};

/// A source whose answers change, and which takes a second for each.
#[derive(Clone)]
struct Source {
    numbers: Cache<u64, u64>,
    version: Arc<AtomicU64>,
    calls: Calls,
    time: Virtual,
}

impl Source {
    fn new(time: &Virtual) -> Self {
        let (version, calls) = (Arc::default(), Calls::default());
        Self {
            numbers: cache(time),
            version,
            calls,
            time: time.clone(),
        }
    }

    fn change(&self) {
        self.version.fetch_add(1, Ordering::SeqCst);
    }

    #[cacheable(self.numbers)]
    async fn number(&self, key: u64) -> Result<Option<u64>, LoadError> {
        self.calls.enter();
        let answer = key * 10 + self.version.load(Ordering::SeqCst);
        larder::Runtime::sleep(&self.time, Duration::from_secs(1)).await;
        Ok((key > 0).then_some(answer))
    }

    async fn is(&self, key: u64, answer: Option<u64>) -> bool {
        self.number(key).await.ok() == Some(answer)
    }
}

#[test]
fn cm1_cm9_a_miss_loads_once_and_a_hit_does_not_touch_the_source() {
    let time = Virtual::auto();
    let source = Source::new(&time);
    time.block_on(async {
        assert!(source.is(1, Some(10)).await);
        source.change();
        assert!(source.is(1, Some(10)).await);
        let kept = source.numbers.get(&1).await.value();
        assert_eq!(kept.as_deref(), Some(&10));
    });
    assert_eq!(source.calls.count(), 1);
}

#[test]
fn cm2_distinct_keys_load_separately_with_one_delay_each() {
    let time = Virtual::auto();
    let source = Source::new(&time);
    let start = time.now();
    time.block_on(async {
        for key in [1, 2, 3, 1, 2, 3] {
            assert!(source.is(key, Some(key * 10)).await);
        }
    });
    assert_eq!(source.calls.count(), 3);
    assert_eq!(time.now().since(start), Duration::from_secs(3));
}

#[test]
fn cm3_a_key_filled_before_is_not_loaded() {
    let time = Virtual::auto();
    let source = Source::new(&time);
    time.block_on(async {
        source.numbers.put(&1, 7).await;
        assert!(source.is(1, Some(7)).await && source.is(2, Some(20)).await);
    });
    assert_eq!(source.calls.count(), 1);
}

#[test]
fn cm4_absence_is_kept_and_given_again() {
    let time = Virtual::auto();
    let source = Source::new(&time);
    time.block_on(async {
        for _ in 0..4 {
            assert!(source.is(0, None).await);
        }
    });
    assert_eq!(source.calls.count(), 1);
}

#[test]
fn cm6_cm8_a_call_does_nothing_before_it_is_polled_and_sees_the_state_of_then() {
    let time = Virtual::auto();
    let source = Source::new(&time);
    let tasks = time.tasks();
    let call = source.number(1);
    source.change();
    assert_eq!((source.calls.count(), time.tasks()), (0, tasks));
    assert_eq!(time.block_on(call).ok().flatten(), Some(11));
}

#[test]
fn cm7_a_call_made_again_hits() {
    let time = Virtual::auto();
    let source = Source::new(&time);
    let call = || source.number(1);
    let (first, second) = (call(), call());
    assert_eq!(time.block_on(first).ok(), time.block_on(second).ok());
    assert_eq!(source.calls.count(), 1);
}

#[test]
fn sp3_concurrent_calls_share_one_load() {
    let time = Virtual::auto();
    let source = Source::new(&time);
    time.block_on(async {
        let (one, two) = zip(source.number(1), source.number(1)).await;
        assert_eq!((one.ok(), two.ok()), (Some(Some(10)), Some(Some(10))));
    });
    assert_eq!(source.calls.count(), 1);
}

#[test]
fn an_attributed_call_says_why_its_answer_is_what_it_is() {
    let time = Virtual::auto();
    let source = Source::new(&time);
    let calls = async {
        assert!(source.is(1, Some(10)).await && source.is(1, Some(10)).await);
        let _ = zip(source.number(2), source.number(2)).await;
    };
    let ((), why) = time.block_on(observe(calls));
    assert!(why.iter().all(|why| why.cache() == "test"));
    let mut details: Vec<_> = why.iter().map(|why| why.outcome().detail()).collect();
    details[2..].sort_unstable();
    assert_eq!(details, ["loaded", "near", "joined", "loaded"]);
}

/// In between stands a boxed future, or rustc could not tell the size.
fn boxed(cache: Cache<u64, u64>, no: u64) -> BoxFuture<'static, Result<u64, LoadError>> {
    Box::pin(async move { recursive(&cache, no).await })
}

#[cacheable(cache, key = no)]
async fn recursive(cache: &Cache<u64, u64>, no: u64) -> Result<u64, LoadError> {
    boxed(cache.clone(), no / 2).await.map(|half| half + 1)
}

#[test]
fn a_function_that_waits_for_its_own_load_fails_at_once() {
    let time = Virtual::new();
    let cache = cache(&time);
    // 4, 2, 1, 0, and 0 again.
    let error = time
        .block_on(recursive(&cache, 4))
        .expect_err("0 waits for 0");
    assert_eq!(error.kind(), LoadErrorKind::Recursive);
}

#[cacheable(cache, key = no)]
async fn gated(cache: &Cache<u64, u64>, no: u64, gate: &Gate) -> u64 {
    gate.wait().await;
    no
}

#[test]
fn a_function_without_a_result_runs_past_the_cache_where_no_load_may_start() {
    let time = Virtual::new();
    let larder = larder::Larder::builder()
        .runtime(time.clone())
        .max_loads(1)
        .build();
    let cache: Cache<u64, u64> = larder
        .expect("it builds")
        .cache("one")
        .build()
        .expect("it builds");
    let (closed, opened) = (Gate::closed(), Gate::opened());
    let (held, gate) = (cache.clone(), closed.clone());
    let waiting = time.spawn(async move { gated(&held, 1, &gate).await });
    time.run_until_idle();
    time.block_on(async {
        assert_eq!(gated(&cache, 2, &opened).await, 2);
        assert!(
            cache.get(&2).await.value().is_none(),
            "it went past the cache"
        );
        closed.open();
        assert_eq!(waiting.await, 1);
    });
}
