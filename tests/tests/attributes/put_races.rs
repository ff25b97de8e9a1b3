//! Puts and evictions that something overtakes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use larder::{Cache, cache_evict, cache_put, cacheable};
use larder_kit::{Gate, Spawned, Virtual};

use crate::support::{Deal, cache};

#[derive(Debug, thiserror::Error, PartialEq)]
#[error("refused")]
struct Refused;

#[derive(Clone)]
struct Shop {
    prices: Cache<u64, u64>,
    deals: Cache<u64, Deal>,
}

impl Shop {
    fn new(time: &Virtual) -> Self {
        Self {
            prices: cache(time),
            deals: cache(time),
        }
    }

    #[cache_put(self.prices, key = no, tags = ["prices"])]
    async fn write(&self, no: u64, price: u64, gate: &Gate) -> u64 {
        gate.wait().await;
        price
    }

    #[cache_put(self.deals, key = |saved| saved.no, tags = |saved| [&saved.title])]
    async fn create_at(&self, no: u64, title: &str, gate: &Gate) -> Deal {
        gate.wait().await;
        let title = title.to_owned();
        Deal { no, title }
    }

    async fn held(&self, no: u64) -> Option<u64> {
        self.prices.get(&no).await.value().map(|price| *price)
    }

    async fn title(&self, no: u64) -> Option<String> {
        let deal = self.deals.get(&no).await.value();
        deal.map(|deal| deal.title.clone())
    }
}

/// Begins a call and lets it come to its gate.
fn begin<T: Send + 'static>(
    time: &Virtual,
    call: impl Future<Output = T> + Send + 'static,
) -> Spawned<T> {
    let call = time.spawn(call);
    time.run_until_idle();
    call
}

#[test]
fn of_two_writers_the_one_that_is_late_at_the_cache_is_refused() {
    for by_value in [false, true] {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        let (slow, quick) = (Gate::closed(), Gate::closed());
        let write = |price: u64, gate: &Gate| {
            let (shop, gate) = (shop.clone(), gate.clone());
            begin(&time, async move {
                if by_value {
                    shop.create_at(1, &price.to_string(), &gate).await;
                } else {
                    shop.write(1, price, &gate).await;
                }
            })
        };
        let held = || {
            let titled = time.block_on(shop.title(1));
            let priced = time.block_on(shop.held(1)).map(|price| price.to_string());
            titled.or(priced)
        };
        let (late, first) = (write(5, &slow), write(7, &quick));
        quick.open();
        time.block_on(first);
        assert_eq!(held().as_deref(), Some("7"));
        slow.open();
        time.block_on(late);
        assert_eq!(held(), None, "it may be older, so neither is kept");
    }
}

#[test]
fn a_put_that_an_invalidation_overtook_is_refused() {
    for by in ["key", "tag", "all"] {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        let gate = Gate::closed();
        let (writer, held) = (shop.clone(), gate.clone());
        let call = begin(&time, async move { writer.write(1, 5, &held).await });
        let call_by_value = {
            let (writer, held) = (shop.clone(), gate.clone());
            begin(
                &time,
                async move { writer.create_at(1, "Cart", &held).await },
            )
        };
        time.block_on(async {
            match by {
                "key" => {
                    shop.prices.invalidate(&1).await;
                    shop.deals.invalidate(&1).await;
                }
                "all" => {
                    shop.prices.clear().await;
                    shop.deals.clear().await;
                }
                _ => {
                    shop.prices.invalidate_tag("prices").await;
                    shop.deals.invalidate_tag("Cart").await;
                }
            }
        });
        gate.open();
        assert_eq!(time.block_on(call), 5);
        assert_eq!(time.block_on(shop.held(1)), None, "{by}");
        assert_eq!(time.block_on(call_by_value).no, 1);
        assert_eq!(time.block_on(shop.title(1)), None, "{by}");
    }
}

#[test]
fn a_put_whose_caller_left_half_way_puts_nothing() {
    let time = Virtual::new();
    let shop = Shop::new(&time);
    let gate = Gate::closed();
    let (writer, held) = (shop.clone(), gate.clone());
    let call = begin(&time, async move { writer.write(1, 5, &held).await });
    call.cancel();
    gate.open();
    time.run_until_idle();
    assert_eq!(time.block_on(shop.held(1)), None);
}

/// A source with one number, which takes a while to read and to write.
#[derive(Clone)]
struct Source {
    numbers: Cache<u64, u64>,
    value: Arc<AtomicU64>,
    time: Virtual,
}

impl Source {
    fn read_now(&self) -> u64 {
        self.value.load(Ordering::SeqCst)
    }

    async fn write_slowly(&self, value: u64) -> Result<u64, Refused> {
        larder::Runtime::sleep(&self.time, Duration::from_millis(300)).await;
        if value == 0 {
            return Err(Refused);
        }
        self.value.store(value, Ordering::SeqCst);
        Ok(value)
    }

    #[cacheable(self.numbers)]
    async fn read(&self, no: u64) -> u64 {
        let _ = no;
        self.read_now()
    }

    #[cache_put(self.numbers, key = 1)]
    async fn put(&self, value: u64) -> Result<u64, Refused> {
        self.write_slowly(value).await
    }

    #[cache_evict(self.numbers, key = 1)]
    async fn evict(&self, value: u64) -> Result<u64, Refused> {
        self.write_slowly(value).await
    }

    #[cache_evict(self.numbers, key = |_written| 1)]
    async fn evict_by_value(&self, value: u64) -> Result<u64, Refused> {
        self.write_slowly(value).await
    }
}

#[test]
fn bug_b3_who_reads_during_an_update_does_not_keep_the_old_value() {
    for way in 0..3 {
        for value in [2, 0] {
            let time = Virtual::new();
            let source = Source {
                numbers: cache(&time),
                value: Arc::new(1.into()),
                time: time.clone(),
            };
            let writer = source.clone();
            let update = begin(&time, async move {
                match way {
                    0 => writer.put(value).await,
                    1 => writer.evict(value).await,
                    _ => writer.evict_by_value(value).await,
                }
            });
            time.advance(Duration::from_millis(100));
            assert_eq!(time.block_on(source.read(1)), 1);
            time.advance(Duration::from_millis(200));
            let updated = time.block_on(update);
            let held = time.block_on(source.numbers.get(&1)).value();
            if value == 0 {
                assert_eq!(updated, Err(Refused));
                assert_eq!(held.as_deref(), Some(&1), "a failed update changes nothing");
            } else {
                assert_eq!(time.block_on(source.read(1)), 2);
                assert_eq!(held.is_some(), way == 0, "the put fills the cache");
            }
        }
    }
}
