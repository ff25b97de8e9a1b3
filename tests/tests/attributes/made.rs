//! Caches that the attribute makes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder::{Key, LoadError, cache_evict, cacheable};

use crate::support::{Deal, deal};

static CALLS: AtomicUsize = AtomicUsize::new(0);

/// A function with a cache of its own.
#[cacheable(ttl = "5m", capacity = 100)]
pub(crate) async fn rate(from: &str, to: &str) -> anyhow::Result<usize> {
    Ok(from.len() + to.len() + CALLS.fetch_add(1, Ordering::SeqCst))
}

#[cache_evict(rate::cache(), key = (from, to))]
async fn set_rate(from: &str, to: &str) {
    assert_ne!(from, to);
}

#[test]
fn it_is_named_and_reached_by_the_function() {
    smol::block_on(async {
        assert_eq!(rate::cache().name(), "attributes::made::rate");
        let first = rate("EUR", "CHF").await.ok();
        assert_eq!(rate("EUR", "CHF").await.ok(), first);
        assert_eq!(
            rate::cache().get(&("EUR", "CHF")).await.value().as_deref(),
            first.as_ref()
        );
        set_rate("EUR", "CHF").await;
        assert_ne!(rate("EUR", "CHF").await.ok(), first);
    });
}

mod elsewhere {
    use super::rate;

    pub(super) async fn cached() -> bool {
        rate("a", "b").await.is_ok() && rate::cache().get(&("a", "b")).await.value().is_some()
    }
}

#[test]
fn one_import_brings_function_and_cache() {
    assert!(smol::block_on(elsewhere::cached()));
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
struct DealNo(u64);

#[cacheable(name = "typed")]
async fn typed(no: DealNo) -> Result<Option<Arc<Deal>>, LoadError> {
    Ok((no.0 < 100).then(|| Arc::new(deal(no.0))))
}

#[cacheable]
async fn nothing() -> Option<u8> {
    None
}

#[cacheable(key = (part, no))]
async fn chosen(no: &DealNo, part: Option<&'static str>, other: f64) -> f64 {
    other + no.0 as f64 + part.map_or(0.0, |part| part.len() as f64)
}

#[test]
fn its_types_come_from_the_signature() {
    smol::block_on(async {
        assert_eq!(typed::cache().name(), "typed");
        assert_eq!(
            typed(DealNo(5)).await.ok().flatten().as_deref(),
            Some(&deal(5))
        );
        assert!(typed::cache().get(&DealNo(5)).await.value().is_some());
        assert_eq!(nothing().await, None);
        let five = DealNo(5);
        assert_eq!(chosen(&five, Some("ab"), 0.5).await, 7.5);
        assert_eq!(
            chosen(&five, Some("ab"), 1.5).await,
            7.5,
            "only the key counts"
        );
        assert!(
            chosen::cache()
                .get(&(Some("ab"), &five))
                .await
                .value()
                .is_some()
        );
    });
}

#[test]
fn it_may_stand_inside_a_function() {
    #[cacheable]
    async fn local(no: u64) -> Option<Option<u64>> {
        Some((no > 1).then_some(no))
    }
    smol::block_on(async {
        assert_eq!(local(1).await, Some(None));
        assert_eq!(local::cache().get(&1).await.value().as_deref(), Some(&None));
    });
}

struct Shop(u32);

impl Shop {
    #[cacheable(skip(self))]
    pub(crate) async fn total(&self, no: u64) -> u64 {
        no + 1
    }

    #[cacheable(self.other_cache(), key = (self.0, no))]
    async fn other(&self, no: u64) -> u64 {
        no + 2
    }

    fn other_cache(&self) -> &'static larder::Cache<(u32, u64), u64> {
        static CACHE: std::sync::LazyLock<larder::Cache<(u32, u64), u64>> =
            std::sync::LazyLock::new(|| larder::Cache::builder("other").build().expect("other"));
        &CACHE
    }
}

#[test]
fn a_method_has_its_cache_beside_it() {
    smol::block_on(async {
        assert_eq!(Shop(1).total(1).await, 2);
        let cache = Shop::total_cache();
        assert_eq!(cache.get(&1).await.value().as_deref(), Some(&2));
        assert_eq!(cache.name(), "attributes::made::Shop::total");
        assert_eq!((Shop(1).other(1).await, Shop(2).other(1).await), (3, 3));
        assert!(Shop(1).other_cache().get(&(2, 1)).await.value().is_some());
    });
}

fn source(no: u64, fails: bool) -> Result<u64, LoadError> {
    match fails {
        true => Err(LoadError::new(larder::LoadErrorKind::Source, "down")),
        false => Ok(no),
    }
}

#[cacheable(key = no, ttl = "5m", stale = "1h")]
async fn quote(no: u64, fails: bool) -> Result<u64, LoadError> {
    source(no, fails)
}

const MINUTE: std::time::Duration = std::time::Duration::from_secs(60);

#[cacheable(key = no, ttl = |_| MINUTE, stale = |_| MINUTE)]
async fn judged(no: u64, fails: bool) -> Result<u64, LoadError> {
    source(no, fails)
}

#[cacheable(key = no, ttl = "5m")]
async fn plain(no: u64, fails: bool) -> Result<u64, LoadError> {
    source(no, fails)
}

#[test]
fn i3_what_is_expired_is_a_fallback_where_the_function_has_a_stale_window() {
    smol::block_on(async {
        quote(7, false).await.unwrap();
        quote::cache().expire(&7).await;
        assert_eq!(quote(7, true).await.unwrap(), 7);
        judged(7, false).await.unwrap();
        judged::cache().expire(&7).await;
        assert_eq!(judged(7, true).await.unwrap(), 7);
        plain(7, false).await.unwrap();
        plain::cache().expire(&7).await;
        assert!(plain(7, true).await.is_err());
    });
}
