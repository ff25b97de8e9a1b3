//! Code of others that panics: a value's, and a store's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use larder_core::BoxFuture;
use larder_core::far::{
    Abilities, Barrier, FarError, FarTicket, Guarded, Part, Put, Read, Space, Stored, Want,
};
use larder_engine::{Cache, CacheBuilder, Change as Done, Got, Larder};
use larder_kit::{Able, Virtual};
use larder_memory::Shelf;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::far::rig::{Pair, held};
use crate::far::support::{larder, shelf};
use crate::support::{Numbers, SECOND, TTL};

/// A number that cannot be written if it is 13, nor read if it is 17.
#[derive(Debug, Clone, PartialEq)]
struct Unlucky(u64);

impl Serialize for Unlucky {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        assert_ne!(self.0, 13, "on purpose");
        self.0.serialize(out)
    }
}

impl<'de> Deserialize<'de> for Unlucky {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(from)?;
        assert_ne!(number, 17, "on purpose");
        Ok(Self(number))
    }
}

fn unlucky(time: &Virtual, shelf: &Shelf) -> Cache<u64, Unlucky> {
    let cache = larder(time, shelf).cache("unlucky").ttl(TTL).schema(1);
    cache.far_only().build().unwrap()
}

#[test]
fn a_value_that_panics_when_it_is_written_is_given_and_not_stored() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let cache = unlucky(&time, &shelf);
    time.block_on(async {
        let given = cache.get_or_load(&1, || async { Unlucky(13) }).await;
        assert_eq!(given.unwrap(), Unlucky(13));
        let _ = cache.put(&2, Unlucky(1)).await;
        assert_eq!(cache.put(&2, Unlucky(13)).await, Done::Done);
        assert_eq!(cache.get(&2).await, Got::Unknown, "the old one is gone");
    });
    assert_eq!(cache.stats().far_tier.unwrap().unfit, 2);
}

#[test]
fn a_value_that_panics_when_it_is_read_is_loaded_over() {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let cache = unlucky(&time, &shelf);
    time.block_on(async {
        let _ = cache.put(&1, Unlucky(17)).await;
        assert_eq!(cache.get(&1).await, Got::Unknown);
        let given = cache.get_or_load(&1, || async { Unlucky(2) }).await;
        assert_eq!(given.unwrap(), Unlucky(2));
        assert_eq!(cache.get(&1).await, Got::Value(Unlucky(2).into()));
    });
    assert_eq!(cache.stats().far_tier.unwrap().undecodable, 2);
}

/// A far store whose changes panic while it is told so.
struct Broken {
    shelf: Shelf,
    broken: AtomicBool,
}

impl Broken {
    fn sound(&self) -> &Shelf {
        assert!(!self.broken.load(Ordering::SeqCst), "on purpose");
        &self.shelf
    }
}

impl Guarded for Broken {
    fn read<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
        tags: &'a [&'a str],
        want: Want,
    ) -> BoxFuture<'a, Result<Vec<Read>, FarError>> {
        self.shelf.read(space, keys, tags, want)
    }

    fn store_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Stored, FarError>> {
        self.shelf.store_if(space, key, ticket, part)
    }

    fn put_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Put, FarError>> {
        self.sound().put_if(space, key, ticket, part)
    }

    fn invalidate<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.sound().invalidate(space, keys)
    }

    fn expire<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.sound().expire(space, keys)
    }

    fn drop_barrier<'a>(
        &'a self,
        space: &'a Space,
        barrier: Barrier<'a>,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.sound().drop_barrier(space, barrier)
    }

    fn release<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.sound().release(space, key, ticket)
    }
}

#[test]
fn a_change_in_which_the_store_panics_is_not_believed() {
    for change in 0..6 {
        let pair = Pair::of(CacheBuilder::far);
        let (time, shelf) = (&pair.time, &pair.shelf);
        let broken = Arc::new(Broken {
            shelf: shelf.clone(),
            broken: AtomicBool::new(true),
        });
        let store = Able::new(shelf.clone(), Abilities::default().guarded(&broken));
        let larder = Larder::builder().runtime(time.clone()).far(store);
        let larder = larder.build().unwrap();
        let numbers: Numbers = larder.cache("numbers").ttl(TTL).far().build().unwrap();
        pair.fill_far();
        assert_eq!(held(time.block_on(numbers.get(&1))), Some(1));
        let done = time.block_on(async {
            match change {
                0 => numbers.invalidate(&1).await,
                1 => numbers.expire(&1).await,
                2 => numbers.put(&1, 2).await,
                3 => numbers.invalidate_many([&1, &2]).await,
                4 => numbers.put_many([(&1, 2)]).await,
                _ => numbers.clear().await,
            }
        });
        assert_eq!(done, Done::Queued, "{change}");
        assert_eq!(held(time.block_on(numbers.get(&1))), None, "{change}");
        time.advance(5 * SECOND);
        let pending = if change == 3 { 2 } else { 1 };
        assert_eq!(
            numbers.stats().far_tier.unwrap().pending,
            pending,
            "{change}"
        );
        assert_eq!(held(time.block_on(numbers.get(&1))), None, "{change}");
        broken.broken.store(false, Ordering::SeqCst);
        time.advance(3 * SECOND);
        assert_eq!(numbers.stats().far_tier.unwrap().pending, 0, "{change}");
        assert_eq!(pair.two.held(time), None, "{change}");
    }
}
