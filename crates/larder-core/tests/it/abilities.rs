//! What a store can do beside keeping bytes, and that a disguise hides none of it.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures_lite::future::block_on;
use larder_core::far::{Abilities, FarError, Sweep};
use larder_core::{Address, AnyStore, BoxFuture, Fetched, ManualClock, Removed, Store, Ttl};
use larder_kit::{KitError, MapStore};

/// A map that can be swept as well; it knows the name of its only cache.
struct Swept {
    map: MapStore,
    cache: &'static str,
}

impl Store for Swept {
    type Error = Infallible;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, Infallible> {
        self.map.get(address).await
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), Infallible> {
        self.map.put(address, bytes, ttl).await
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, Infallible> {
        self.map.remove(address).await
    }

    fn abilities(self: &Arc<Self>) -> Abilities {
        Abilities::default().sweep(self)
    }
}

impl Sweep for Swept {
    fn purge<'a>(&'a self, cache: &'a str) -> BoxFuture<'a, Result<u64, FarError>> {
        Box::pin(async move {
            if cache != self.cache {
                return Err(FarError::not_sent(KitError::new("another cache")));
            }
            let removed = self.map.remove(Address::new(cache, b"a")).await;
            Ok(u64::from(removed == Ok(Removed::Removed)))
        })
    }
}

#[test]
fn a_plain_store_shows_no_abilities() {
    let map = Arc::new(MapStore::new(ManualClock::new().clock()));
    let shown = map.abilities();
    assert!(shown.guarded.is_none() && shown.bus.is_none() && shown.sweep.is_none());
}

#[test]
fn abilities_are_those_of_the_store_behind_any_store() {
    let map = MapStore::new(ManualClock::new().clock());
    let swept = Swept {
        map: map.clone(),
        cache: "deals",
    };
    let store = Arc::new(AnyStore::new(AnyStore::new(swept)));
    let shown = store.abilities();
    assert!(shown.guarded.is_none() && shown.bus.is_none());
    let sweep = shown.sweep.expect("the store shows it");
    let address = Address::new("deals", b"a");
    block_on(map.put(address, "value".into(), Ttl::MIN)).expect("maps do not fail");
    assert_eq!(block_on(sweep.purge("deals")).expect("its cache"), 1);
    assert_eq!(
        block_on(store.get(address)).expect("maps do not fail"),
        Fetched::Absent
    );
    let error = block_on(sweep.purge("users")).expect_err("another cache");
    assert_eq!(error.to_string(), "far tier: not sent: another cache");
}
