//! Methods: `&self`, `Arc<Self>`, traits.

use std::sync::Arc;

use larder::{Cache, LoadError, cacheable};
use larder_kit::Virtual;

use crate::support::{Calls, Deal, cache, deal};

#[derive(Clone)]
struct Shop {
    deals: Cache<u64, Deal>,
    calls: Calls,
}

impl Shop {
    fn new(time: &Virtual) -> Self {
        let calls = Calls::default();
        Self {
            deals: cache(time),
            calls,
        }
    }

    fn query(&self, no: u64) -> Deal {
        self.calls.enter();
        deal(no)
    }

    /// Also through a closure, a macro and a method of an item inside the body.
    #[cacheable(self.deals)]
    pub(crate) async fn deal(&self, no: u64) -> Result<Option<Arc<Deal>>, LoadError> {
        struct Inner(u64);
        impl Inner {
            fn no(&self) -> u64 {
                self.0
            }
        }
        let query = |no| self.query(no);
        let deals = vec![query(Inner(no).no()), Self::title(&self.calls, no)];
        Ok(deals.into_iter().next().map(Arc::new))
    }

    fn title(_: &Calls, no: u64) -> Deal {
        deal(no)
    }

    #[cacheable(self.deals, key = no)]
    async fn by_arc(self: Arc<Self>, no: u64) -> Deal {
        self.query(no)
    }

    #[cacheable(self.deals, key = no)]
    async fn by_arc_ref(self: &Arc<Self>, no: u64) -> Deal {
        self.query(no)
    }

    #[cacheable(self.deals, key = no)]
    async fn by_value(mut self, no: u64) -> Deal {
        self.calls = self.calls.clone();
        self.query(no)
    }

    #[cacheable(self.deals)]
    #[expect(
        clippy::needless_arbitrary_self_type,
        reason = "it is one way to write it"
    )]
    async fn explicit(self: &Self, no: u64) -> Deal {
        self.query(no)
    }
}

#[test]
fn every_receiver_reaches_the_load() {
    let time = Virtual::new();
    let shop = Shop::new(&time);
    let shared = Arc::new(shop.clone());
    time.block_on(async {
        assert_eq!(shop.deal(1).await.ok().flatten().as_deref(), Some(&deal(1)));
        assert_eq!(Arc::clone(&shared).by_arc(2).await, deal(2));
        assert_eq!(shared.by_arc_ref(3).await, deal(3));
        assert_eq!(shop.clone().by_value(4).await, deal(4));
        assert_eq!(shop.explicit(5).await, deal(5));
        assert_eq!(shop.calls.count(), 5);
        for no in 1..=5 {
            assert_eq!(shop.explicit(no).await, deal(no));
        }
    });
    assert_eq!(shop.calls.count(), 5);
}

#[test]
fn each_value_has_its_own_cache() {
    let time = Virtual::new();
    let (one, two) = (Shop::new(&time), Shop::new(&time));
    time.block_on(async {
        assert!(one.deal(1).await.is_ok() && two.deal(1).await.is_ok());
    });
    assert_eq!((one.calls.count(), two.calls.count()), (1, 1));
}

/// Not `Clone`, and no method of it needs that.
struct Bare {
    calls: Calls,
}

impl Bare {
    #[cacheable(cache, key = no, skip(self))]
    async fn without_self(&self, cache: &Cache<u64, u64>, no: u64, calls: &Calls) -> u64 {
        struct Inner(u64);
        impl Inner {
            fn no(&self) -> u64 {
                self.0
            }
        }
        calls.enter();
        Inner(no).no()
    }
}

#[test]
fn a_body_without_self_needs_no_clone_of_it() {
    let time = Virtual::new();
    let bare = Bare {
        calls: Calls::default(),
    };
    let cache = cache(&time);
    time.block_on(async {
        assert_eq!(bare.without_self(&cache, 1, &bare.calls).await, 1);
        assert_eq!(bare.without_self(&cache, 1, &bare.calls).await, 1);
    });
    assert_eq!(bare.calls.count(), 1);
}

trait Source: Clone + Send + Sync + 'static {
    fn cache(&self) -> &Cache<u64, Deal>;
    fn find(&self, no: u64) -> impl Future<Output = Deal> + Send;

    /// A default body is cached for every implementor.
    #[cacheable(self.cache())]
    async fn found(&self, no: u64) -> Deal {
        self.find(no).await
    }
}

impl Source for Shop {
    fn cache(&self) -> &Cache<u64, Deal> {
        &self.deals
    }

    #[cacheable(self.deals)]
    async fn find(&self, no: u64) -> Deal {
        self.query(no)
    }
}

#[test]
fn trait_methods_take_a_named_cache() {
    let time = Virtual::new();
    let shop = Shop::new(&time);
    time.block_on(async {
        assert_eq!(shop.find(1).await, deal(1));
        assert_eq!(shop.found(1).await, deal(1));
    });
    assert_eq!(shop.calls.count(), 1);
}

struct Page<T> {
    cache: Cache<(u64, usize), Vec<T>>,
    items: Vec<T>,
}

impl<T: Clone> Clone for Page<T> {
    fn clone(&self) -> Self {
        let (cache, items) = (self.cache.clone(), self.items.clone());
        Self { cache, items }
    }
}

impl<T: Clone + Send + Sync + 'static> Page<T> {
    #[cacheable(self.cache, key = (no, N))]
    async fn of<const N: usize>(&self, no: u64) -> Vec<T> {
        self.items
            .iter()
            .skip(no as usize * N)
            .take(N)
            .cloned()
            .collect()
    }
}

#[test]
fn generic_impls_take_a_cache_of_their_own() {
    let time = Virtual::new();
    let page = Page {
        cache: cache(&time),
        items: vec![1, 2, 3, 4, 5],
    };
    time.block_on(async {
        assert_eq!(page.of::<2>(1).await, [3, 4]);
        assert_eq!(page.of::<3>(1).await, [4, 5]);
        assert_eq!(page.of::<2>(1).await, [3, 4]);
    });
}
