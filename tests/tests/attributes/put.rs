//! Functions that put what they return.

use std::sync::Arc;
use std::time::Duration;

use larder::{Cache, Got, LoadError, cache_put, cacheable};
use larder_kit::Virtual;

use crate::support::{Calls, Deal, cache, deal};

#[derive(Debug, thiserror::Error, PartialEq)]
#[error("refused")]
struct Refused;

#[derive(Clone)]
struct Shop {
    prices: Cache<u64, u64>,
    deals: Cache<u64, Deal>,
    calls: Calls,
}

impl Shop {
    fn new(time: &Virtual) -> Self {
        Self {
            prices: cache(time),
            deals: cache(time),
            calls: Calls::default(),
        }
    }

    #[cacheable(self.prices, key = no)]
    async fn price(&self, no: u64, source: u64) -> Result<u64, LoadError> {
        Ok(source)
    }

    #[cache_put(self.prices, key = no)]
    async fn set(&self, no: u64, price: i64) -> Result<u64, Refused> {
        self.calls.enter();
        u64::try_from(price).map_err(|_| Refused)
    }

    #[cache_put(self.prices, key = no, condition = price > 10)]
    async fn set_dear(&self, no: u64, price: u64) -> u64 {
        self.calls.enter();
        price
    }

    #[cache_put(self.deals, key = |saved| saved.no)]
    async fn create(&self, title: String) -> Result<Arc<Deal>, Refused> {
        let no = self.calls.enter() as u64;
        Ok(Arc::new(Deal { no, title }))
    }

    /// The key would panic where there is nothing.
    #[cache_put(self.deals, unless = |found| found.is_none(), key = |found: &Option<Deal>| {
        found.as_ref().expect("asked for `None`").no
    })]
    async fn import(&self, no: u64) -> Option<Deal> {
        (no < 100).then(|| deal(no))
    }

    #[cache_put(self.prices, key = no, unless = |price| *price > 100)]
    async fn set_cheap(&mut self, no: u64, price: u64) -> u64 {
        self.calls.enter();
        price
    }

    #[cache_put(self.deals, key = no)]
    async fn find(&self, no: u64) -> Result<Option<Deal>, Refused> {
        Ok((no < 100).then(|| deal(no)))
    }

    async fn held(&self, no: u64) -> Option<u64> {
        self.prices.get(&no).await.value().map(|price| *price)
    }

    async fn title(&self, no: u64) -> Option<String> {
        let deal = self.deals.get(&no).await.value();
        deal.map(|deal| deal.title.clone())
    }
}

fn with_shop<F: Future<Output = ()>>(test: impl FnOnce(Shop) -> F) {
    let time = Virtual::new();
    time.block_on(test(Shop::new(&time)));
}

#[test]
fn sp19_a_put_always_runs_and_overwrites() {
    with_shop(|shop| async move {
        for price in [5, 7, 7] {
            assert_eq!(shop.set(1, price).await, Ok(price as u64));
            assert_eq!(shop.held(1).await, Some(price as u64));
        }
        assert_eq!(shop.calls.count(), 3);
        assert_eq!(shop.price(1, 99).await.ok(), Some(7), "loads nothing");
    });
}

#[test]
fn an_error_puts_nothing_and_absence_is_put() {
    with_shop(|shop| async move {
        assert_eq!(shop.set(1, 5).await, Ok(5));
        assert_eq!(shop.set(1, -5).await, Err(Refused));
        assert_eq!(shop.held(1).await, Some(5));
        assert_eq!(shop.find(1).await, Ok(Some(deal(1))));
        assert_eq!(shop.find(100).await, Ok(None));
        assert_eq!(shop.title(1).await.as_deref(), Some("deal 1"));
        assert_eq!(shop.deals.get(&100).await, Got::KnownAbsent);
    });
}

#[test]
fn sp20_a_put_under_a_condition() {
    with_shop(|shop| async move {
        assert_eq!(shop.set_dear(1, 10).await, 10);
        assert_eq!(shop.held(1).await, None);
        assert_eq!(shop.set_dear(1, 11).await, 11);
        assert_eq!(shop.set_dear(1, 10).await, 10);
        assert_eq!(shop.held(1).await, Some(11), "as if nothing stood there");
        assert_eq!(shop.calls.count(), 3);
    });
}

#[test]
fn sp22_the_key_may_be_of_the_result() {
    with_shop(|shop| async move {
        let created = shop.create("Cart".into()).await;
        let held = shop.deals.get(&1).await.value();
        assert!(Arc::ptr_eq(
            &created.expect("it is created"),
            &held.expect("it is held")
        ));
    });
}

#[test]
fn sp23_unless_is_decided_before_the_key_of_the_result() {
    with_shop(|shop| async move {
        assert_eq!(shop.import(100).await, None);
        assert_eq!(shop.import(1).await, Some(deal(1)));
        assert_eq!(shop.title(1).await.as_deref(), Some("deal 1"));
    });
}

#[test]
fn what_is_not_to_be_kept_still_ends_what_was_held() {
    with_shop(|mut shop| async move {
        assert_eq!(shop.set_cheap(1, 100).await, 100);
        assert_eq!(shop.held(1).await, Some(100));
        assert_eq!(shop.set_cheap(1, 101).await, 101);
        assert_eq!(shop.held(1).await, None, "the source has changed");
    });
}

#[cache_put(cache, key = no, ttl = "10s", tags = [region, no % 2])]
async fn tagged(cache: &Cache<u64, Deal>, no: u64, region: &str) -> Deal {
    deal(no)
}

/// The body takes what the closures name.
#[cache_put(
    cache,
    key = |saved| saved.no,
    ttl = |saved| Duration::from_secs(saved.no),
    tags = |saved| [region.as_str(), saved.title.as_str()],
)]
async fn tagged_by_value(cache: &Cache<u64, Deal>, no: u64, region: String) -> Deal {
    let title = region;
    Deal { no, title }
}

#[test]
fn time_and_tags_of_a_put_are_of_the_arguments_or_of_the_value() {
    let time = Virtual::new();
    let cache: Cache<u64, Deal> = cache(&time);
    let holds = |no: u64| time.block_on(cache.get(&no)).value().is_some();
    time.block_on(async {
        tagged(&cache, 1, "EU").await;
        tagged(&cache, 2, "EU").await;
        tagged_by_value(&cache, 20, "EU".into()).await;
        tagged_by_value(&cache, 30, "US".into()).await;
        cache.invalidate_tag("1").await;
    });
    assert!(!holds(1) && holds(2) && holds(20) && holds(30));
    time.advance(Duration::from_secs(10));
    assert!(!holds(2) && holds(20));
    time.advance(Duration::from_secs(10));
    assert!(!holds(20) && holds(30));
    time.block_on(cache.invalidate_tag("EU"));
    assert!(holds(30));
    time.block_on(cache.invalidate_tag("US"));
    assert!(!holds(30));
}

/// What an error is the function's own matter: nobody else gets it.
#[test]
fn an_error_of_a_put_needs_nothing() {
    struct Bare(#[expect(dead_code, reason = "it is only there")] std::rc::Rc<()>);

    #[cache_put(cache, key = no)]
    async fn save(cache: &Cache<u64, u64>, no: u64) -> Result<u64, Bare> {
        if no > 9 {
            return Err(Bare(std::rc::Rc::default()));
        }
        Ok(no)
    }

    #[cache_put(cache, key = |saved| **saved)]
    async fn create(cache: &Cache<u64, u64>, no: u64) -> Result<Arc<u64>, Bare> {
        if no > 9 {
            return Err(Bare(std::rc::Rc::default()));
        }
        Ok(Arc::new(no))
    }

    let time = Virtual::new();
    let cache: Cache<u64, u64> = cache(&time);
    time.block_on(async {
        assert!(matches!(save(&cache, 1).await, Ok(1)));
        assert!(save(&cache, 10).await.is_err());
        assert!(create(&cache, 2).await.is_ok());
        assert!(create(&cache, 11).await.is_err());
        assert_eq!(cache.stats().entries, 2);
    });
}
