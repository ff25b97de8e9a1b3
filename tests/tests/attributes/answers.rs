//! What a function may return, by type and not by name.

use std::sync::Arc;

use larder::{Cache, LoadError, cacheable};
use larder_kit::Virtual;

use crate::support::{Calls, Deal, cache, deal};

type Loaded<T> = Result<Option<Arc<T>>, LoadError>;
type Maybe<T> = Option<T>;

#[cacheable(cache, key = no)]
async fn plain(cache: &Cache<u64, Deal>, no: u64, calls: &Calls) -> Deal {
    calls.enter();
    deal(no)
}

#[cacheable(cache, key = no)]
async fn shared(cache: &Cache<u64, Deal>, no: u64, calls: &Calls) -> Arc<Deal> {
    calls.enter();
    Arc::new(deal(no))
}

#[cacheable(cache, key = no)]
async fn maybe(cache: &Cache<u64, Deal>, no: u64, calls: &Calls) -> Maybe<Arc<Deal>> {
    calls.enter();
    (no < 100).then(|| Arc::new(deal(no)))
}

#[cacheable(cache, key = no)]
async fn fallible(cache: &Cache<u64, Deal>, no: u64, calls: &Calls) -> Result<Deal, LoadError> {
    calls.enter();
    Ok(deal(no))
}

#[cacheable(cache, key = no)]
async fn alias(cache: &Cache<u64, Deal>, no: u64, calls: &Calls) -> Loaded<Deal> {
    calls.enter();
    Ok((no < 100).then(|| Arc::new(deal(no))))
}

#[test]
fn all_shapes_read_and_fill_one_cache() {
    let time = Virtual::new();
    let (cache, calls) = (cache(&time), Calls::default());
    time.block_on(async {
        assert_eq!(plain(&cache, 5, &calls).await, deal(5));
        assert_eq!(*shared(&cache, 5, &calls).await, deal(5));
        assert_eq!(maybe(&cache, 5, &calls).await.as_deref(), Some(&deal(5)));
        assert_eq!(fallible(&cache, 5, &calls).await.ok(), Some(deal(5)));
        assert_eq!(
            alias(&cache, 5, &calls).await.ok().flatten().as_deref(),
            Some(&deal(5))
        );
        let kept = cache.get(&5).await.value().expect("it is kept");
        assert!(
            Arc::ptr_eq(&kept, &shared(&cache, 5, &calls).await),
            "no copy is made"
        );
    });
    assert_eq!(calls.count(), 1);
}

#[test]
fn sp2_sp5_absence_is_cached_for_every_shape_that_can_say_it() {
    let time = Virtual::new();
    let (cache, calls) = (cache(&time), Calls::default());
    time.block_on(async {
        assert!(maybe(&cache, 100, &calls).await.is_none());
        assert!(
            alias(&cache, 100, &calls)
                .await
                .is_ok_and(|deal| deal.is_none())
        );
        assert_eq!(calls.count(), 1);
        // This one cannot say absence, so it loads.
        assert_eq!(fallible(&cache, 100, &calls).await.ok(), Some(deal(100)));
        assert_eq!(calls.count(), 2);
    });
}

#[cacheable(cache, key = no)]
async fn option_value(cache: &Cache<u64, Option<u8>>, no: u64, calls: &Calls) -> Option<u8> {
    calls.enter();
    (no > 0).then_some(7)
}

#[cacheable(cache, key = no)]
async fn absent_or_option(cache: &Cache<u64, Option<u8>>, no: u64) -> Option<Option<u8>> {
    (no > 0).then_some(None)
}

#[test]
fn an_option_in_the_cache_is_a_value() {
    let time = Virtual::new();
    let (cache, calls) = (cache(&time), Calls::default());
    time.block_on(async {
        assert_eq!(option_value(&cache, 0, &calls).await, None);
        assert_eq!(cache.get(&0).await.value().as_deref(), Some(&None));
        assert_eq!(
            absent_or_option(&cache, 0).await,
            Some(None),
            "a hit of the value `None`"
        );
        assert_eq!(option_value(&cache, 0, &calls).await, None);
        assert_eq!(calls.count(), 1);
    });
}

#[cacheable(cache, key = ())]
async fn never_fails(cache: &Cache<(), Vec<u8>>) -> Result<Vec<u8>, Never> {
    Ok(Vec::new())
}

#[derive(Debug, Clone)]
struct Never;

impl From<LoadError> for Never {
    fn from(_: LoadError) -> Self {
        Self
    }
}

impl std::fmt::Display for Never {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("never")
    }
}

#[test]
fn an_empty_collection_is_a_value() {
    let time = Virtual::new();
    let cache = cache(&time);
    time.block_on(async {
        assert!(never_fails(&cache).await.expect("it is loaded").is_empty());
        assert!(cache.get(&()).await.value().is_some());
    });
}

#[cacheable(cache, key = no)]
async fn returns(cache: &Cache<u64, Deal>, no: u64) -> Result<Deal, LoadError> {
    if no == 0 {
        return Ok(deal(0));
    }
    let no = no
        .to_string()
        .parse::<u64>()
        .map_err(|_| LoadError::source("no number"))?;
    Ok(deal(no))
}

#[test]
fn a_return_in_the_body_leaves_the_body_alone() {
    let time = Virtual::new();
    let cache = cache(&time);
    time.block_on(async {
        assert_eq!(returns(&cache, 0).await.ok(), Some(deal(0)));
        assert_eq!(returns(&cache, 1).await.ok(), Some(deal(1)));
        assert_eq!(cache.get(&0).await.value().as_deref(), Some(&deal(0)));
    });
}
