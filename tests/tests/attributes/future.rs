//! What an attribute costs a hit.

use std::sync::{Arc, LazyLock};

use futures_lite::future::block_on;
use larder::{Cache, LoadError, cacheable};

use crate::support::{Deal, deal};

static DEALS: LazyLock<Cache<u64, Deal>> =
    LazyLock::new(|| Cache::builder("cost").build().expect("cost"));

#[cacheable(DEALS)]
async fn by_static(no: u64) -> Result<Option<Arc<Deal>>, LoadError> {
    let big = [no; 100];
    futures_lite::future::yield_now().await;
    Ok(Some(Arc::new(deal(big[99]))))
}

#[cacheable]
async fn by_text(from: &str, to: &str, no: u64) -> Arc<String> {
    futures_lite::future::yield_now().await;
    Arc::new(format!("{from}{to}{no}"))
}

#[derive(Clone)]
struct Shop(Cache<u64, Deal>);

impl Shop {
    #[cacheable(self.0)]
    async fn by_self(&self, no: u64) -> Result<Option<Arc<Deal>>, LoadError> {
        futures_lite::future::yield_now().await;
        let _ = &self.0;
        Ok(Some(Arc::new(deal(no))))
    }
}

fn size(future: &(impl Future + Send)) -> usize {
    size_of_val(future)
}

#[test]
fn the_load_adds_nothing_to_the_future_of_a_hit() {
    let shop = Shop(Cache::builder("cost of self").build().expect("it is free"));
    assert!(size(&by_static(5)) <= 56, "{}", size(&by_static(5)));
    assert!(size(&shop.by_self(5)) <= 56, "{}", size(&shop.by_self(5)));
    let text = size(&by_text("a", "b", 5));
    assert!(text <= 120, "{text}");
}

#[test]
fn a_hit_allocates_nothing() {
    block_on(async {
        assert!(by_static(5).await.is_ok());
        by_text("EUR", "CHF", 5).await;
    });
    let info = allocation_counter::measure(|| {
        block_on(async {
            for _ in 0..100 {
                assert!(by_static(5).await.is_ok());
                by_text("EUR", "CHF", 5).await;
            }
        });
    });
    // The first `block_on` of a thread makes its parker.
    assert_eq!(info.count_total, 0);
}
