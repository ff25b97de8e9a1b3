//! When an entry is evicted, and which.

use larder::{Cache, LoadError, cache_evict, cacheable};
use larder_kit::Virtual;

use crate::support::{Calls, cache};

#[derive(Debug, thiserror::Error)]
#[error("refused")]
struct Refused;

#[derive(Clone)]
struct Shop {
    prices: Cache<u64, usize>,
    pairs: Cache<(u64, String), usize>,
    calls: Calls,
}

#[derive(Debug)]
struct Price {
    no: u64,
}

impl Shop {
    fn new(time: &Virtual) -> Self {
        Self {
            prices: cache(time),
            pairs: cache(time),
            calls: Calls::default(),
        }
    }

    #[cacheable(self.prices)]
    async fn price(&self, no: u64) -> Result<usize, LoadError> {
        Ok(self.calls.enter() + no as usize * 100)
    }

    #[cacheable(self.pairs)]
    async fn pair(&self, no: u64, region: &str) -> Result<usize, LoadError> {
        Ok(self.calls.enter() + no as usize * 100 + region.len())
    }

    #[cache_evict(self.prices, key = no)]
    async fn set(&self, no: u64, price: i32) -> Result<(), Refused> {
        if price < 0 {
            return Err(Refused);
        }
        Ok(())
    }

    #[cache_evict(self.prices, key = no, before)]
    async fn set_early(&self, no: u64, price: i32) -> Result<(), Refused> {
        self.set(no + 1_000, price).await?;
        Ok(())
    }

    #[cache_evict(self.prices, all)]
    async fn import(&mut self, fails: bool) -> Result<(), Refused> {
        if fails { Err(Refused) } else { Ok(()) }
    }

    #[cache_evict(self.prices, all, before)]
    async fn import_early(&self) -> Result<(), Refused> {
        Err(Refused)
    }

    /// The key is taken before the body consumes its argument.
    #[cache_evict(self.prices, key = price.no)]
    async fn save(&self, price: Price) -> Option<Price> {
        Some(price).filter(|price| price.no > 100)
    }

    #[cache_evict(self.prices, skip(region))]
    #[cache_evict(self.pairs)]
    async fn forget(&self, no: u64, region: &str) {
        assert!(no < 100 && !region.is_empty());
    }

    #[cacheable(self.prices, key = no)]
    #[cache_evict(self.pairs, key = (no, "EU"))]
    async fn renew(&self, no: u64) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }

    #[cache_evict(self.pairs, key = (no, "EU"))]
    #[cacheable(self.prices, key = no)]
    async fn renew_reversed(&self, no: u64) -> Result<usize, LoadError> {
        Ok(self.calls.enter())
    }

    async fn holds(&self, no: u64) -> bool {
        self.prices.get(&no).await.value().is_some()
    }

    async fn holds_pair(&self) -> bool {
        self.pairs.get(&(1_u64, "EU")).await.value().is_some()
    }
}

fn with_shop<F: Future<Output = ()>>(test: impl FnOnce(Shop) -> F) {
    let time = Virtual::new();
    time.block_on(test(Shop::new(&time)));
}

#[test]
fn sp6_evict_then_reload_differs() {
    with_shop(|shop| async move {
        let first = shop.price(1).await.ok();
        assert!(shop.set(1, 5).await.is_ok());
        assert!(!shop.holds(1).await);
        assert_ne!(shop.price(1).await.ok(), first);
    });
}

#[test]
fn sp7_a_failing_call_evicts_nothing() {
    with_shop(|shop| async move {
        let first = shop.price(1).await.ok();
        assert!(shop.set(1, -5).await.is_err());
        assert_eq!(shop.price(1).await.ok(), first);
    });
}

#[test]
fn sp8_early_evict_happens_although_the_call_fails() {
    with_shop(|shop| async move {
        assert!(shop.price(1).await.is_ok());
        assert!(shop.set_early(1, -5).await.is_err());
        assert!(!shop.holds(1).await);
    });
}

#[test]
fn sp9_evict_all_removes_all_and_early_too() {
    with_shop(|mut shop| async move {
        assert!(shop.price(1).await.is_ok() && shop.price(2).await.is_ok());
        assert!(shop.import(true).await.is_err());
        assert!(shop.holds(1).await && shop.holds(2).await);
        assert!(shop.import(false).await.is_ok());
        assert!(!shop.holds(1).await && !shop.holds(2).await);
        assert!(shop.price(1).await.is_ok());
        assert!(shop.import_early().await.is_err());
        assert!(!shop.holds(1).await);
    });
}

#[test]
fn sp10_an_explicit_key_is_one_part_of_the_arguments() {
    with_shop(|shop| async move {
        assert!(shop.price(1).await.is_ok() && shop.price(2).await.is_ok());
        assert!(
            shop.save(Price { no: 1 }).await.is_none(),
            "`None` is a success"
        );
        assert!(!shop.holds(1).await && shop.holds(2).await);
    });
}

#[test]
fn several_evicts_stand_on_one_function() {
    with_shop(|shop| async move {
        assert!(shop.price(1).await.is_ok() && shop.pair(1, "EU").await.is_ok());
        shop.forget(1, "EU").await;
        assert!(!shop.holds(1).await && !shop.holds_pair().await);
    });
}

#[test]
fn sp26_beside_a_lookup_evict_runs_on_every_call_in_either_order() {
    with_shop(|shop| async move {
        for reversed in [false, true] {
            for _ in ["a miss", "a hit"] {
                assert!(shop.pair(1, "EU").await.is_ok() && shop.holds_pair().await);
                let before = shop.calls.count();
                let (held, renewed) = (
                    shop.holds(1).await,
                    if reversed {
                        shop.renew_reversed(1).await
                    } else {
                        shop.renew(1).await
                    },
                );
                assert!(renewed.is_ok() && !shop.holds_pair().await);
                assert_eq!(
                    shop.calls.count() == before,
                    held,
                    "on a hit the body does not run"
                );
            }
            shop.prices.clear().await;
        }
    });
}

#[cache_evict(cache, key = no)]
async fn borrows<'a>(
    cache: &Cache<u64, usize>,
    no: u64,
    text: &'a str,
) -> Result<&'a str, Refused> {
    let rest = text.strip_prefix("x").ok_or(Refused)?;
    Ok(rest)
}

#[test]
fn an_evicting_function_may_borrow_and_return_borrows() {
    with_shop(|shop| async move {
        assert!(shop.price(1).await.is_ok());
        assert!(borrows(&shop.prices, 1, "y").await.is_err() && shop.holds(1).await);
        assert_eq!(borrows(&shop.prices, 1, "xy").await.ok(), Some("y"));
        assert!(!shop.holds(1).await);
    });
}
