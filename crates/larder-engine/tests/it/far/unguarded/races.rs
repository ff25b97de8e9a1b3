//! What comes between two commands of one operation: what the documentation says is lost, and what
//! it says is not.

use std::time::Duration;

use bytes::Bytes;
use futures_lite::future::{poll_once, yield_now};
use larder_core::far::{Barrier, FarError, FarTicket, Guarded, Part, Space, Stored, Want};
use larder_core::{Address, BoxFuture, Fetched, Removed, Store, Ttl};
use larder_engine::Unguarded;
use larder_kit::{MapStore, Virtual};

use super::map;
use crate::support::SECOND;

/// A store that lets others go first before each command.
struct Polite(MapStore);

impl Store for Polite {
    type Error = <MapStore as Store>::Error;

    async fn get(&self, address: Address<'_>) -> Result<Fetched, Self::Error> {
        yield_now().await;
        self.0.get(address).await
    }

    async fn put(&self, address: Address<'_>, bytes: Bytes, ttl: Ttl) -> Result<(), Self::Error> {
        yield_now().await;
        self.0.put(address, bytes, ttl).await
    }

    async fn remove(&self, address: Address<'_>) -> Result<Removed, Self::Error> {
        yield_now().await;
        self.0.remove(address).await
    }
}

/// Two nodes at one key of one store.
struct Scene {
    time: Virtual,
    space: Space,
    polite: Unguarded<Polite>,
    quick: Unguarded<MapStore>,
}

const LIFE: Duration = Duration::from_secs(60);
const BARRIER: Duration = Duration::from_secs(600);
const KEY: &[u8] = b"1";

type Meanwhile = fn(&Scene);

impl Scene {
    fn new() -> Self {
        let time = Virtual::new();
        let store = map(&time);
        Self {
            space: Space::new("numbers".into(), 1, 7).lives(SECOND * 30, BARRIER),
            polite: Unguarded::new(Polite(store.clone()), time.runtime()),
            quick: Unguarded::new(store, time.runtime()),
            time,
        }
    }

    fn run<T>(&self, operation: BoxFuture<'_, Result<T, FarError>>) -> T {
        self.time.block_on(operation).expect("nothing fails here")
    }

    fn ticket(&self) -> FarTicket {
        let mut read = self.run(self.quick.read(&self.space, &[KEY], &[], Want::Load));
        let ticket = read.pop().and_then(|read| read.ticket);
        ticket.expect("a load gets a ticket")
    }

    fn found(&self) -> Option<Bytes> {
        let mut read = self.run(self.quick.read(&self.space, &[KEY], &[], Want::Look));
        let found = read.pop().and_then(|read| read.found);
        found.map(|found| found.bytes)
    }

    /// Puts the newest value, as a writer on another node.
    fn put(&self) {
        let (ticket, part) = (self.ticket(), part("new", &[]));
        let put = self.quick.put_if(&self.space, KEY, &ticket, part);
        self.run(put);
    }

    fn drop_barrier(&self, barrier: Barrier<'_>) {
        self.run(self.quick.drop_barrier(&self.space, barrier));
    }
}

fn part<'a>(bytes: &'static str, tags: &'a [&'a str]) -> Part<'a> {
    Part {
        bytes: bytes.into(),
        tags,
        ends: LIFE,
    }
}

/// Stores what a load gave, with `meanwhile` between two of its commands, at each place in turn.
/// Gives what became of it, what was found then, and what is found once the value's time is over.
fn around(age: Duration, tags: &[&str], meanwhile: Meanwhile) -> Vec<End> {
    let mut ends = Vec::new();
    loop {
        let scene = Scene::new();
        scene.ticket();
        scene.time.advance(age);
        let ticket = scene.ticket();
        let part = part("old", tags);
        let mut store = scene.polite.store_if(&scene.space, KEY, &ticket, part);
        for _ in 0..=ends.len() {
            if scene.time.block_on(poll_once(&mut store)).is_some() {
                return ends;
            }
        }
        meanwhile(&scene);
        let (stored, found) = (scene.run(store), scene.found());
        scene.time.advance(LIFE);
        ends.push((stored, found, scene.found()));
    }
}

type End = (Stored, Option<Bytes>, Option<Bytes>);

const REFUSED: End = (Stored::Refused, None, None);

fn undone() -> End {
    (Stored::Stored, Some("old".into()), None)
}

#[test]
fn an_invalidation_just_before_the_put_is_undone_until_the_ttl_and_only_there() {
    let ends = around(Duration::ZERO, &[], |scene| {
        scene.run(scene.quick.invalidate(&scene.space, &[KEY]));
    });
    assert_eq!(ends, [REFUSED, REFUSED, undone()]);
}

#[test]
fn a_put_just_before_the_put_is_undone_until_the_ttl_and_only_there() {
    let ends = around(Duration::ZERO, &[], Scene::put);
    let kept = || (Stored::Refused, Some("new".into()), None);
    assert_eq!(ends, [kept(), kept(), undone()]);
}

#[test]
fn a_clear_or_a_tag_is_undone_nowhere_while_its_barrier_is_young() {
    let drops: [Meanwhile; 2] = [
        |scene| scene.drop_barrier(Barrier::All),
        |scene| scene.drop_barrier(Barrier::Tag("tag")),
    ];
    for drop in drops {
        let ends = around(BARRIER / 2 - SECOND, &["tag"], drop);
        assert_eq!(ends.len(), 6, "the commands of a store with a new tag");
        assert!(ends.iter().all(|(_, found, _)| found.is_none()), "{ends:?}");
    }
}

#[test]
fn a_load_with_a_tag_of_its_value_that_ends_within_the_drop_of_that_tag_is_dead() {
    for polls in 1.. {
        let scene = Scene::new();
        let ticket = scene.ticket();
        let tag = Barrier::Tag("tag");
        let mut drop = scene.polite.drop_barrier(&scene.space, tag);
        let polled = (0..polls).map(|_| scene.time.block_on(poll_once(&mut drop)));
        if polled.last().flatten().is_some() {
            assert_eq!(polls, 3, "after two commands");
            return;
        }
        let old = part("old", &["tag"]);
        scene.run(scene.quick.store_if(&scene.space, KEY, &ticket, old));
        scene.run(drop);
        assert_eq!(scene.found(), None, "stored before command {polls}");
    }
}

#[test]
fn a_clear_is_undone_by_who_prolongs_its_barrier_and_only_there() {
    let clear = |scene: &Scene| scene.drop_barrier(Barrier::All);
    let ends = around(BARRIER / 2 + SECOND, &[], clear);
    let killed = (Stored::Stored, None, None);
    assert_eq!(ends, [REFUSED, undone(), killed.clone(), killed]);
}

#[test]
fn who_makes_a_token_at_the_same_time_only_loses() {
    for polls in 1.. {
        let scene = Scene::new();
        let keys = [KEY];
        let mut read = scene.polite.read(&scene.space, &keys, &[], Want::Load);
        let polled = (0..polls).map(|_| scene.time.block_on(poll_once(&mut read)));
        if polled.last().flatten().is_some() {
            return;
        }
        let ticket = scene.ticket();
        let store = scene
            .quick
            .store_if(&scene.space, KEY, &ticket, part("new", &[]));
        scene.run(store);
        let mut read = scene.run(read);
        let late = read.pop().and_then(|read| read.ticket);
        scene.run(scene.quick.invalidate(&scene.space, &[KEY]));
        for ticket in [Some(ticket), late].into_iter().flatten() {
            let old = part("old", &[]);
            let stored = scene.quick.store_if(&scene.space, KEY, &ticket, old);
            assert_eq!(scene.run(stored), Stored::Refused);
        }
        assert_eq!(scene.found(), None);
    }
}
