//! Bytes that are not those that were stored, under every key.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use larder_core::far::{Guarded, Space, Want};
use larder_core::{Address, Fetched, Removed, Store, Ttl};
use larder_engine::Unguarded;
use larder_kit::{MapStore, Virtual};

use super::{far_only, map};
use crate::far::support::Node;
use crate::support::Source;

/// A store that knows what is in it.
#[derive(Clone)]
struct Known {
    store: MapStore,
    keys: Arc<Mutex<BTreeSet<Vec<u8>>>>,
}

impl Store for Known {
    type Error = <MapStore as Store>::Error;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, Self::Error> {
        self.store.get(address).await
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), Self::Error> {
        self.keys.lock().unwrap().insert(address.key().to_vec());
        self.store.put(address, bytes, ttl).await
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, Self::Error> {
        self.store.remove(address).await
    }
}

/// A node whose store holds a value for key 1, and what is under each of the store's keys.
struct Scene {
    time: Virtual,
    node: Node,
    source: Source,
    store: Known,
    kept: Vec<(Vec<u8>, Bytes)>,
}

impl Scene {
    fn new() -> Self {
        let time = Virtual::new();
        let store = Known {
            store: map(&time),
            keys: Arc::default(),
        };
        let (node, source) = (far_only(&time, store.clone()), Source::ready());
        time.block_on(node.fetch(&source));
        let mut scene = Self {
            time,
            node,
            source,
            store,
            kept: Vec::new(),
        };
        let keys = scene.store.keys.lock().unwrap().clone();
        let kept = keys.into_iter().map(|key| (scene.bytes(&key), key));
        scene.kept = kept.map(|(bytes, key)| (key, bytes)).collect();
        scene
    }

    fn bytes(&self, key: &[u8]) -> Bytes {
        let address = Address::new("numbers", key);
        match self.time.block_on(self.store.get(address)) {
            Ok(Fetched::Found(found)) => found.bytes,
            other => panic!("{other:?} under {key:?}"),
        }
    }

    /// Puts these bytes under a key, whatever it is of. The value comes all the same, and is in
    /// the store after that. Gives how it came.
    fn fetch_over(&self, key: &[u8], bytes: &[u8]) -> &'static str {
        let address = Address::new("numbers", key);
        let bytes = Bytes::copy_from_slice(bytes);
        self.time.block_on(async {
            let _ = self.store.put(address, bytes.clone(), Ttl::MAX).await;
            let fetched = self.node.fetch(&self.source).await;
            let next = self.node.fetch(&self.source).await;
            let value = (fetched.value, next.value, next.outcome.detail());
            assert_eq!(value, (1, 1, "far"), "over {bytes:?} under {key:?}");
            fetched.outcome.detail()
        })
    }

    fn entry(&self) -> &(Vec<u8>, Bytes) {
        let entry = self.kept.iter().find(|(key, _)| key == b"1");
        entry.expect("the entry is among the keys")
    }

    /// What lies under the barrier that the value was loaded under. Under the other, which only
    /// tags drop, no value is.
    fn clear(&self) -> &(Vec<u8>, Bytes) {
        let (_, entry) = self.entry();
        let lists = |token: &[u8]| entry.windows(8).any(|bytes| bytes == &token[..8]);
        let mut barriers = self.kept.iter().filter(|(key, _)| key.starts_with(b":"));
        let clear = barriers.find(|(_, token)| lists(token));
        clear.expect("the barrier is among the keys")
    }
}

#[test]
fn an_entry_and_the_barriers_of_the_cache_are_all_there_is() {
    let scene = Scene::new();
    let barriers = scene.kept.iter().filter(|(key, _)| key.starts_with(b":"));
    assert_eq!((barriers.count(), scene.kept.len()), (2, 3));
}

#[test]
fn what_is_cut_off_is_a_miss_under_every_key() {
    let scene = Scene::new();
    for (key, bytes) in &scene.kept {
        let known = [scene.entry(), scene.clear()]
            .iter()
            .any(|(known, _)| known == key);
        for length in 0..bytes.len() {
            let how = scene.fetch_over(key, &bytes[..length]);
            let wanted = if known { "loaded" } else { "far" };
            assert_eq!(how, wanted, "over {length} bytes under {key:?}");
        }
    }
}

#[test]
fn what_has_more_bytes_than_a_token_is_none() {
    let scene = Scene::new();
    let (key, token) = scene.clear();
    let longer = [token, &b"\0"[..]].concat();
    assert_eq!(scene.fetch_over(key, &longer), "loaded");
}

#[test]
fn a_flipped_bit_is_never_another_value() {
    let scene = Scene::new();
    for (key, bytes) in &scene.kept {
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            scene.fetch_over(key, &flipped);
        }
    }
}

#[test]
fn what_belongs_under_another_key_is_a_miss() {
    let scene = Scene::new();
    let other = scene.node.numbers.put(&2, 7);
    let _ = scene.time.block_on(other);
    let (key, _) = scene.entry();
    assert_eq!(scene.fetch_over(key, &scene.bytes(b"2")), "loaded");
    for (key, _) in &scene.kept {
        for (other, bytes) in &scene.kept {
            if other != key {
                scene.fetch_over(key, bytes);
            }
        }
        let junk = [
            vec![0xff; 1 << 16],
            vec![0; 16],
            vec![0; 4096],
            b"{}".to_vec(),
        ];
        for bytes in junk {
            scene.fetch_over(key, &bytes);
        }
    }
}

#[test]
fn nobody_waits_for_the_holder_of_a_token_whose_value_is_cut_off() {
    let scene = Scene::new();
    let (key, bytes) = scene.entry();
    let far = Unguarded::new(scene.store.clone(), scene.time.runtime());
    let space = Space::new("numbers".into(), 1, 7);
    for (length, held) in [(16, true), (17, false), (bytes.len() - 1, false)] {
        let address = Address::new("numbers", key);
        let read = scene.time.block_on(async {
            let _ = scene
                .store
                .put(address, bytes.slice(..length), Ttl::MAX)
                .await;
            far.read(&space, &[key], &[], Want::Load).await
        });
        let read = read.expect("nothing fails here").remove(0);
        assert_eq!((read.held, read.found.is_none()), (held, true), "{length}");
        assert!(read.ticket.is_some());
    }
}

#[test]
fn a_token_without_its_value_is_a_running_load_and_no_more() {
    let scene = Scene::new();
    let (key, bytes) = scene.entry();
    assert_eq!(scene.fetch_over(key, &bytes[..16]), "loaded");
}
