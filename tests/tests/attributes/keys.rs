//! What a call is looked up by.

use larder::{Cache, Key, cacheable};
use larder_kit::Virtual;

use crate::support::{Calls, cache};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
struct DealNo(u64);

#[derive(Clone)]
struct Shop {
    no: u32,
    by_nothing: Cache<(), u64>,
    by_one: Cache<DealNo, u64>,
    by_three: Cache<(DealNo, String, Option<u8>), u64>,
    by_list: Cache<Vec<u8>, u64>,
    by_shop: Cache<(u32, String), u64>,
    by_text: Cache<String, u64>,
    calls: Calls,
}

impl Shop {
    fn new(time: &Virtual) -> Self {
        Self {
            no: 1,
            by_nothing: cache(time),
            by_one: cache(time),
            by_three: cache(time),
            by_list: cache(time),
            by_shop: cache(time),
            by_text: cache(time),
            calls: Calls::default(),
        }
    }

    fn next(&self) -> u64 {
        self.calls.enter() as u64 * 1_000
    }

    #[cacheable(self.by_nothing)]
    async fn nothing(&self) -> u64 {
        self.next()
    }

    #[cacheable(self.by_one)]
    async fn one(&self, no: DealNo) -> u64 {
        self.next() + no.0
    }

    #[cacheable(self.by_three)]
    async fn three(&self, no: &DealNo, text: &str, size: Option<u8>) -> u64 {
        self.next() + no.0 + text.len() as u64 + u64::from(size.unwrap_or(0))
    }

    #[cacheable(self.by_list)]
    async fn list(&self, list: &[u8]) -> u64 {
        self.next() + list.len() as u64
    }

    #[cacheable(self.by_one, skip(_note, verbose))]
    async fn skipped(&self, no: DealNo, _note: &str, verbose: bool) -> u64 {
        self.next() + no.0 + u64::from(verbose)
    }

    #[cacheable(self.by_shop, key = (self.no, text))]
    async fn with_self(&self, text: String) -> u64 {
        self.next() + text.len() as u64
    }

    #[cacheable(self.by_text, key = format!("{text}/{}", size + 1))]
    async fn computed(&self, text: &str, size: u64) -> u64 {
        self.next() + text.len() as u64 + size
    }
}

#[test]
fn sp1_sp13_the_key_is_what_was_chosen_and_nothing_else() {
    let time = Virtual::new();
    let shop = Shop::new(&time);
    time.block_on(async {
        assert_eq!(shop.nothing().await, shop.nothing().await);
        assert_eq!(shop.one(DealNo(1)).await, shop.one(DealNo(1)).await);
        assert_ne!(shop.one(DealNo(1)).await, shop.one(DealNo(2)).await);
        assert_eq!(
            shop.skipped(DealNo(1), "a", true).await,
            shop.one(DealNo(1)).await
        );
        assert_eq!(
            shop.with_self("a".into()).await,
            shop.with_self("a".into()).await
        );
        assert_ne!(shop.computed("a", 1).await, shop.computed("a", 2).await);
        assert!(shop.by_text.get("a/3").await.value().is_some());
    });
}

#[test]
fn every_argument_of_several_counts() {
    let time = Virtual::new();
    let shop = Shop::new(&time);
    let (one, two) = (DealNo(1), DealNo(2));
    time.block_on(async {
        let first = shop.three(&one, "a", None).await;
        assert_eq!(shop.three(&one, "a", None).await, first);
        for other in [
            shop.three(&two, "a", None).await,
            shop.three(&one, "b", None).await,
            shop.three(&one, "a", Some(0)).await,
        ] {
            assert_ne!(other, first);
        }
        let kept = shop.by_three.get(&(&one, "a", None::<u8>)).await.value();
        assert_eq!(kept.as_deref(), Some(&first));
    });
}

#[test]
fn sp4_sp14_none_and_lists_are_keys() {
    let time = Virtual::new();
    let shop = Shop::new(&time);
    time.block_on(async {
        assert_eq!(shop.list(&[1, 2]).await, shop.list(&[1, 2]).await);
        assert_ne!(shop.list(&[1, 2]).await, shop.list(&[1]).await);
        assert_ne!(shop.list(&[]).await, shop.list(&[1]).await);
    });
}

#[test]
fn the_key_expression_moves_nothing() {
    let time = Virtual::new();
    let mut shop = Shop::new(&time);
    time.block_on(async {
        let first = shop.with_self("a".into()).await;
        shop.no = 2;
        assert_ne!(
            shop.with_self("a".into()).await,
            first,
            "the shop's number is in the key"
        );
    });
}
