//! Tags, and times that the loaded value says.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Duration;

use larder::{Cache, LoadError, cache_evict, cacheable};
use larder_kit::Virtual;

use crate::support::{Calls, Deal, cache, deal};

type Deals = Cache<u64, Deal>;

/// A tag that counts how often it is shown.
#[derive(Clone)]
struct Counted(Calls);

impl Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.enter();
        f.write_str("counted")
    }
}

#[derive(Clone)]
struct Shop {
    deals: Deals,
    base: u64,
}

impl Shop {
    #[cacheable(self.deals, key = no, tags = [region, no % 2, counted])]
    async fn by_arguments(&self, no: u64, region: &str, counted: Counted) -> Deal {
        deal(no)
    }

    #[cacheable(self.deals, key = no, tags = |found| [found.title.as_str(), region, &self.base.to_string()])]
    async fn by_value(&self, no: u64, region: &str) -> Result<Arc<Deal>, LoadError> {
        Ok(Arc::new(deal(no + self.base)))
    }

    /// Not a list: whatever can be iterated over, of a value that may be absent.
    #[cacheable(self.deals, key = no, tags = |found| found.iter().map(|deal| deal.no))]
    async fn by_iteration(&self, no: u64) -> Option<Deal> {
        (no < 100).then(|| deal(no))
    }

    #[cache_evict(self.deals, tags = ["EU", no])]
    async fn evict_tags(&self, no: u64) -> Result<(), LoadError> {
        if no == 0 {
            return Err(LoadError::source(fmt::Error));
        }
        Ok(())
    }

    #[cache_evict(self.deals, key = no, tags = ["EU"], before)]
    async fn evict_both(&self, no: u64) {}

    #[cache_evict(self.deals, key = |deal| deal.no)]
    async fn remove(&self, deal: Deal) -> Result<Deal, LoadError> {
        Ok(deal)
    }

    async fn holds(&self, no: u64) -> bool {
        self.deals.get(&no).await.value().is_some()
    }
}

fn with_shop<F: Future<Output = ()>>(test: impl FnOnce(Shop) -> F) {
    let time = Virtual::new();
    let deals = cache(&time);
    time.block_on(test(Shop { deals, base: 0 }));
}

#[test]
fn tags_of_the_arguments_are_made_on_a_miss_alone() {
    with_shop(|shop| async move {
        let counted = Counted(Calls::default());
        for no in [1, 2, 2, 1] {
            shop.by_arguments(no, "EU", counted.clone()).await;
        }
        shop.by_arguments(3, "US", counted.clone()).await;
        assert_eq!(counted.0.count(), 3);
        shop.deals.invalidate_tag("1").await;
        assert!(!shop.holds(1).await && shop.holds(2).await && !shop.holds(3).await);
        shop.deals.invalidate_tag("EU").await;
        assert!(!shop.holds(2).await);
    });
}

#[test]
fn tags_of_the_value_see_the_arguments_too() {
    with_shop(|shop| async move {
        for tag in ["deal 1", "EU", "7"] {
            let shop = Shop {
                base: if tag == "7" { 7 } else { 0 },
                ..shop.clone()
            };
            assert!(shop.by_value(1, "EU").await.is_ok());
            assert!(shop.by_value(2, "US").await.is_ok());
            assert!(shop.holds(1).await && shop.holds(2).await);
            shop.deals.invalidate_tag(tag).await;
            assert!(!shop.holds(1).await, "{tag}");
            assert_eq!(shop.holds(2).await, tag != "7");
            shop.deals.clear().await;
        }
    });
}

#[test]
fn tags_may_be_any_sequence_and_absence_has_them_too() {
    with_shop(|shop| async move {
        for no in [1, 2, 100] {
            shop.by_iteration(no).await;
        }
        shop.deals.invalidate_tag("1").await;
        assert!(!shop.holds(1).await && shop.holds(2).await);
        assert_eq!(shop.deals.get(&100).await, larder::Got::KnownAbsent);
    });
}

#[test]
fn a_function_evicts_by_tags_and_by_the_key_that_is_named() {
    with_shop(|shop| async move {
        let fill = || async {
            for (no, region) in [(1, "EU"), (2, "US"), (4, "US")] {
                assert!(shop.by_value(no, region).await.is_ok());
            }
        };
        fill().await;
        assert!(shop.evict_tags(0).await.is_err());
        assert!(shop.holds(1).await);
        assert!(shop.evict_tags(1).await.is_ok());
        assert!(!shop.holds(1).await && shop.holds(2).await);
        fill().await;
        shop.evict_both(2).await;
        assert!(!shop.holds(1).await && !shop.holds(2).await && shop.holds(4).await);
    });
}

#[test]
fn the_key_of_an_eviction_may_be_of_the_result() {
    with_shop(|shop| async move {
        assert!(shop.by_value(1, "EU").await.is_ok() && shop.by_value(2, "EU").await.is_ok());
        assert!(shop.remove(deal(2)).await.is_ok());
        assert!(shop.holds(1).await && !shop.holds(2).await);
    });
}

#[cacheable(cache, key = no, ttl = |found| Duration::from_secs(found.no + extra))]
async fn until(cache: &Deals, no: u64, extra: u64) -> Result<Deal, LoadError> {
    Ok(deal(no))
}

#[cacheable(cache, key = no, ttl = |_| Duration::ZERO)]
async fn never(cache: &Deals, no: u64) -> Deal {
    deal(no)
}

#[test]
fn a_time_may_depend_on_the_value() {
    let time = Virtual::new();
    let cache: Deals = cache(&time);
    let holds = |no: u64| time.block_on(cache.get(&no)).value().is_some();
    for no in [10, 20] {
        assert!(time.block_on(until(&cache, no, 5)).is_ok());
    }
    time.advance(Duration::from_secs(15));
    assert!(!holds(10) && holds(20));
    assert_eq!(time.block_on(never(&cache, 1)), deal(1));
    assert!(!holds(1));
}

/// The body takes both arguments, the closures look at them.
#[cacheable(
    cache,
    key = names.len() as u64,
    tags = |found| [names.join("+"), note.to_owned(), found.title.clone()],
    unless = |found| found.no == 0 || names.is_empty(),
    ttl = |_| Duration::from_secs(names.len() as u64),
)]
async fn moved(cache: &Deals, names: Vec<String>, mut note: &str) -> Result<Deal, LoadError> {
    let no = names.into_iter().map(|name| name.len() as u64).sum();
    note = note.trim();
    let title = note.to_owned();
    Ok(Deal { no, title })
}

#[test]
fn closures_see_the_arguments_as_they_were_before_the_body() {
    let time = Virtual::new();
    let cache: Deals = cache(&time);
    for tag in ["a+b", " x ", "x"] {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let loaded = time.block_on(moved(&cache, names, " x "));
        assert_eq!(loaded.ok().map(|deal| deal.no), Some(2));
        assert!(time.block_on(cache.get(&2)).value().is_some());
        time.block_on(cache.invalidate_tag(tag));
        assert!(time.block_on(cache.get(&2)).value().is_none(), "{tag}");
    }
}
