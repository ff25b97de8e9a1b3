//! bug-A5: a cached function that calls itself ends at once.

use larder::{BoxFuture, Cache, Larder, LoadError, LoadErrorKind, cacheable};
use larder_kit::Virtual;

type Numbers = Cache<u64, u64>;

fn two_caches(time: &Virtual) -> (Numbers, Numbers) {
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    let build = |name| larder.cache(name).build().unwrap();
    (build("one"), build("two"))
}

/// Calls itself with what `next` says, until that says nothing.
#[cacheable(cache, key = key)]
async fn call(cache: &Numbers, key: u64, next: fn(u64) -> Option<u64>) -> Result<u64, LoadError> {
    match next(key) {
        Some(inner) => Ok(1 + deeper(cache.clone(), inner, next, 3).await?),
        None => Ok(0),
    }
}

/// Some functions between a load and the call inside it.
fn deeper(
    cache: Numbers,
    key: u64,
    next: fn(u64) -> Option<u64>,
    levels: usize,
) -> BoxFuture<'static, Result<u64, LoadError>> {
    Box::pin(async move {
        if levels == 0 {
            return call(&cache, key, next).await;
        }
        deeper(cache, key, next, levels - 1).await
    })
}

/// The call fails as recursive, and no time goes by.
fn is_recursive(next: fn(u64) -> Option<u64>) {
    let time = Virtual::new();
    let (cache, _) = two_caches(&time);
    let start = time.now();
    for _ in 0..2 {
        let error = time.block_on(call(&cache, 1, next)).unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Recursive, "{error}");
    }
    assert_eq!(time.now(), start);
    assert_eq!(cache.stats().running, 0);
    assert_eq!(time.block_on(call(&cache, 1, |_| None)).unwrap(), 0);
}

#[test]
fn bug_a5_a_function_that_calls_itself_with_its_key_fails_at_once() {
    is_recursive(Some);
}

#[test]
fn bug_a5_also_when_the_circle_is_longer() {
    is_recursive(|key| Some(key % 2 + 1));
    is_recursive(|key| Some(key % 7 + 1));
}

#[test]
fn bug_a5_calls_of_other_keys_are_no_circle() {
    let time = Virtual::new();
    let (cache, _) = two_caches(&time);
    let down = |key: u64| key.checked_sub(1);
    assert_eq!(time.block_on(call(&cache, 30, down)).unwrap(), 30);
    assert_eq!(cache.stats().loaded, 31);
}

#[test]
fn bug_a5_the_body_may_go_on_after_the_error() {
    let time = Virtual::new();
    let (cache, _) = two_caches(&time);
    let inner = cache.clone();
    let outer = cache.get_or_load(&1, move || async move {
        let again = inner.get_or_load(&1, || async { 7_u64 }).await;
        let error = again.unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Recursive);
        8
    });
    assert_eq!(time.block_on(outer).unwrap(), 8);
    let stats = cache.stats();
    assert_eq!((stats.loaded, stats.failed), (1, 1));
}

fn across(one: Numbers, two: Numbers) -> BoxFuture<'static, Result<u64, LoadError>> {
    Box::pin(async move {
        let (back, here) = (one.clone(), two);
        one.get_or_load(&1, move || across(here, back)).await
    })
}

#[test]
fn bug_a5_a_circle_over_two_caches_fails_at_once() {
    let time = Virtual::new();
    let (one, two) = two_caches(&time);
    let error = time.block_on(across(one.clone(), two.clone())).unwrap_err();
    assert!(error.to_string().contains("waits for itself"), "{error}");
    assert_eq!(one.stats().running + two.stats().running, 0);
}

#[test]
fn bug_a5_two_loads_that_wait_for_each_other_end_at_once() {
    let time = Virtual::new();
    let (cache, _) = two_caches(&time);
    let cross = |key: u64, other: u64| {
        let (outer, inner) = (cache.clone(), cache.clone());
        time.spawn(async move {
            let load = move || async move {
                futures_lite::future::yield_now().await;
                inner.get_or_load(&other, || async { 0 }).await
            };
            outer.get_or_load(&key, load).await
        })
    };
    let (left, right) = (cross(1, 2), cross(2, 1));
    let ends = time.block_on(async { [left.await, right.await] });
    let recursive = |end: &Result<u64, LoadError>| {
        let error = end.as_ref().err();
        error.is_some_and(|error| error.to_string().contains("waits for itself"))
    };
    assert!(ends.iter().any(recursive), "{ends:?}");
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn bug_a5_a_circle_that_cannot_be_seen_ends_by_the_deadline() {
    let time = Virtual::auto();
    let (cache, _) = two_caches(&time);
    let (inner, elsewhere) = (cache.clone(), time.clone());
    let call = cache.get_or_load(&1, move || async move {
        // In a task of its own the inner call is not inside the load.
        elsewhere
            .spawn(async move { inner.get_or_load(&1, || async { 7_u64 }).await })
            .await
    });
    assert_eq!(
        time.block_on(call).unwrap_err().kind(),
        LoadErrorKind::TimedOut
    );
}
