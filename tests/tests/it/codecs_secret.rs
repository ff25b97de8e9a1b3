//! Encrypted values, seen as the store sees them.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use larder::{Cache, CacheBuilder, Got, Json, Keys, Larder, Raw, Ttl};
use larder_core::{Address, Fetched, Removed, Store};
use larder_kit::{MapStore, Virtual};

const TTL: Duration = Duration::from_secs(60);
const CANARY: &str = "ada@example.org";

/// A store that keeps a copy of all that it was ever given.
#[derive(Clone)]
struct Tapped {
    inner: MapStore,
    seen: Arc<Mutex<Vec<Entry>>>,
}

type Entry = (Vec<u8>, Bytes);

impl Store for Tapped {
    type Error = Infallible;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, Infallible> {
        self.inner.get(address).await
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), Infallible> {
        let seen = (address.key().to_vec(), bytes.clone());
        self.seen.lock().unwrap().push(seen);
        self.inner.put(address, bytes, ttl).await
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, Infallible> {
        self.inner.remove(address).await
    }
}

struct Nodes {
    time: Virtual,
    store: Tapped,
}

impl Nodes {
    fn new() -> Self {
        let time = Virtual::new();
        let inner = MapStore::new(time.runtime().clock());
        let seen = Arc::default();
        let store = Tapped { inner, seen };
        Self { time, store }
    }

    fn cache(&self, keys: Option<Keys>) -> Cache<u64, String> {
        let larder = Larder::builder().runtime(self.time.clone());
        let larder = larder.far_unguarded(self.store.clone()).build().unwrap();
        let cache: CacheBuilder<u64, String> = larder.cache("users").ttl(TTL).codec(Json);
        let cache = cache.compress(200).without_near();
        match keys {
            Some(keys) => cache.encrypt(keys).build().unwrap(),
            None => cache.build().unwrap(),
        }
    }

    fn saw(&self, text: &str) -> bool {
        let seen = self.store.seen.lock().unwrap();
        assert!(!seen.is_empty());
        let text = text.as_bytes();
        let has = |bytes: &Bytes| bytes.windows(text.len()).any(|part| part == text);
        seen.iter().any(|(_, bytes)| has(bytes))
    }
}

fn key(id: u32, byte: u8) -> Keys {
    Keys::new(id, [byte; 32])
}

#[test]
fn s6_a_canary_is_not_found_in_what_the_store_gets() {
    for (keys, found) in [(None, true), (Some(key(1, 1)), false)] {
        let nodes = Nodes::new();
        let cache = nodes.cache(keys);
        nodes.time.block_on(async {
            let _ = cache.put(&1, CANARY.to_owned()).await;
            let long = CANARY.repeat(100);
            let load = || async { long.clone() };
            cache.get_or_load_scoped(&2, load).await.unwrap();
            assert_eq!(cache.get(&1).await, Got::Value(CANARY.to_owned().into()));
            assert_eq!(cache.get(&2).await, Got::Value(long.into()));
        });
        assert_eq!(nodes.saw(CANARY), found);
    }
}

#[test]
fn s6_a_node_without_the_key_loads_and_one_with_the_old_key_reads() {
    let nodes = Nodes::new();
    let cache = |keys| nodes.cache(keys);
    let old = cache(Some(key(1, 1)));
    nodes.time.block_on(async {
        let _ = old.put(&1, CANARY.to_owned()).await;
        let second = cache(Some(key(2, 2).also(1, [1; 32])));
        assert_eq!(second.get(&1).await, Got::Value(CANARY.to_owned().into()));
        for stranger in [None, Some(key(2, 2)), Some(key(1, 2))] {
            let stranger = cache(stranger);
            assert_eq!(stranger.get(&1).await, Got::Unknown);
            assert_eq!(stranger.stats().far_tier.unwrap().undecodable, 1);
        }
        // What a stranger loads takes the place of what it could not read.
        let load = || async { "loaded".to_owned() };
        cache(Some(key(2, 2))).get_or_load(&1, load).await.unwrap();
        assert_eq!(second.get(&1).await, Got::Value("loaded".to_owned().into()));
        assert_eq!(old.get(&1).await, Got::Unknown);
    });
}

/// The whole of an entry, token and all, copied to another key.
#[test]
fn s6_a_swapped_entry_is_a_miss() {
    let nodes = Nodes::new();
    let cache = nodes.cache(Some(key(1, 1)));
    nodes.time.block_on(async {
        let _ = cache.put(&1, "mine".to_owned()).await;
        let _ = cache.put(&2, "other".to_owned()).await;
        assert_eq!(cache.get(&1).await, Got::Value("mine".to_owned().into()));
        let seen = nodes.store.seen.lock().unwrap().clone();
        let entries: Vec<_> = seen.iter().filter(|(_, bytes)| bytes.len() > 60).collect();
        let [(mine, _), (other, bytes)] = entries[..] else {
            panic!("{} entries", entries.len());
        };
        assert_ne!(mine, other);
        let ttl = Ttl::new(TTL).unwrap();
        let address = Address::new("users", mine);
        nodes.store.put(address, bytes.clone(), ttl).await.unwrap();
        assert_eq!(cache.get(&1).await, Got::Unknown);
        assert_eq!(cache.get(&2).await, Got::Value("other".to_owned().into()));
    });
}

#[test]
fn encryption_without_a_far_tier_is_refused() {
    let time = Virtual::new();
    let larder = Larder::builder().runtime(time).build().unwrap();
    let cache = larder.cache::<u64, String>("users").ttl(TTL);
    let error = cache.encrypt(key(1, 1)).build().unwrap_err();
    assert_eq!(error.setting(), "encrypt");
    let embedded = larder.cache::<u64, String>("users").ttl(TTL).codec(Raw);
    assert!(embedded.encrypt(key(1, 1)).build().is_ok());
}
