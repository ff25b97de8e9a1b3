//! A node whose far tier and bus do what a test says.

use std::future::Future;
use std::sync::Arc;

use larder_core::LoadError;
use larder_core::far::{Abilities, Bus, Guarded};
use larder_engine::__private::{After, Asked, Terms};
use larder_engine::{CacheBuilder, Got, Larder, LarderBuilder};
use larder_kit::{Able, FailingFar, SlowFar, Spawned, Virtual, WildBus};
use larder_memory::Shelf;

use super::support::{beat, shelf};
use crate::support::{Numbers, Source, TTL};

/// The tag of all that [`Rig::call`] loads.
pub(crate) const TAG: &str = "fruit";

/// A larder with a cache over a far store that can be slow and fail, and a bus that can lose.
pub(crate) struct Rig {
    pub(crate) larder: Larder,
    pub(crate) numbers: Numbers,
    pub(crate) slow: SlowFar,
    pub(crate) failing: FailingFar,
    pub(crate) bus: WildBus,
}

impl Rig {
    /// A cache with both tiers.
    pub(crate) fn over(time: &Virtual, shelf: &Shelf) -> Self {
        Self::with(time, shelf, |larder| larder, CacheBuilder::far)
    }

    pub(crate) fn with(
        time: &Virtual,
        shelf: &Shelf,
        set: impl FnOnce(LarderBuilder) -> LarderBuilder,
        build: impl FnOnce(CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64>,
    ) -> Self {
        let guarded: Arc<dyn Guarded> = Arc::new(shelf.clone());
        let bus: Arc<dyn Bus> = Arc::new(shelf.clone());
        let failing = FailingFar::new(guarded);
        let slow = SlowFar::new(Arc::new(failing.clone()));
        let bus = WildBus::new(bus);
        let abilities = Abilities::default()
            .guarded(&Arc::new(slow.clone()))
            .bus(&Arc::new(bus.clone()));
        let store = Able::new(shelf.clone(), abilities);
        let larder = set(Larder::builder().runtime(time.clone()).far(store));
        let larder = larder.build().unwrap();
        let numbers = build(larder.cache("numbers").ttl(TTL)).build().unwrap();
        Self {
            larder,
            numbers,
            slow,
            failing,
            bus,
        }
    }

    /// A call that loads, as a task.
    pub(crate) fn call(&self, time: &Virtual, source: &Source) -> Spawned<u64> {
        time.spawn(fetch(&self.numbers, source))
    }

    /// A call that loads, to its end.
    pub(crate) fn fetch(&self, time: &Virtual, source: &Source) -> u64 {
        time.block_on(fetch(&self.numbers, source))
    }

    /// What is held, to be had without a load.
    pub(crate) fn held(&self, time: &Virtual) -> Option<u64> {
        held(time.block_on(self.numbers.get(&1)))
    }
}

/// Two nodes that share a far store and have heard a heartbeat.
pub(crate) struct Pair {
    pub(crate) time: Virtual,
    pub(crate) shelf: Shelf,
    pub(crate) one: Rig,
    pub(crate) two: Rig,
    pub(crate) source: Source,
}

impl Pair {
    pub(crate) fn new() -> Self {
        Self::of(CacheBuilder::far)
    }

    pub(crate) fn of(build: fn(CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64>) -> Self {
        let time = Virtual::new();
        let shelf = shelf(&time);
        Self::at(&time, &shelf, build)
    }

    pub(crate) fn at(
        time: &Virtual,
        shelf: &Shelf,
        build: fn(CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64>,
    ) -> Self {
        let node = || Rig::with(time, shelf, |larder| larder, build);
        let (one, two) = (node(), node());
        beat(time);
        Self {
            one,
            two,
            shelf: shelf.clone(),
            time: time.clone(),
            source: Source::ready(),
        }
    }

    /// A call at the first node, as a task that has come to where it waits.
    pub(crate) fn call(&self) -> Spawned<u64> {
        let call = self.one.call(&self.time, &self.source);
        self.time.run_until_idle();
        call
    }

    /// A value that the far store holds, and no near tier of the first node.
    pub(crate) fn fill_far(&self) {
        self.two.fetch(&self.time, &self.source);
    }

    pub(crate) fn fetch(&self) -> u64 {
        self.one.fetch(&self.time, &self.source)
    }

    pub(crate) fn held(&self) -> Option<u64> {
        self.one.held(&self.time)
    }

    pub(crate) fn pending(&self) -> usize {
        self.one.numbers.stats().far_tier.unwrap().pending
    }
}

/// A call of key 1 whose value has the tag.
pub(crate) fn fetch(
    cache: &Numbers,
    source: &Source,
) -> impl Future<Output = u64> + Send + 'static + use<> {
    let answer = try_fetch(cache, source);
    async move { answer.await.unwrap() }
}

pub(crate) fn try_fetch(
    cache: &Numbers,
    source: &Source,
) -> impl Future<Output = Result<u64, LoadError>> + Send + 'static + use<> {
    tagged(cache, source, &[TAG])
}

/// A call of key 1 whose value has these tags.
pub(crate) fn tagged(
    cache: &Numbers,
    source: &Source,
    tags: &[&str],
) -> impl Future<Output = Result<u64, LoadError>> + Send + 'static + use<> {
    let terms = Terms {
        tags: owned(tags),
        ..Terms::default()
    };
    loaded(cache, source, terms, After::default())
}

/// A call of key 1 whose value tells its tags itself.
pub(crate) fn told(
    cache: &Numbers,
    source: &Source,
    tags: &[&str],
) -> impl Future<Output = Result<u64, LoadError>> + Send + 'static + use<> {
    let after = After {
        tags: owned(tags),
        ..After::default()
    };
    loaded(cache, source, Terms::default(), after)
}

/// A call of key 1 on these terms.
pub(crate) fn loaded(
    cache: &Numbers,
    source: &Source,
    terms: Terms,
    after: After,
) -> impl Future<Output = Result<u64, LoadError>> + Send + 'static + use<> {
    let (cache, source) = (cache.clone(), source.clone());
    async move {
        let place = match Asked(&cache).hit::<u64, _, _>(&1) {
            Ok(value) => return Ok(value),
            Err(place) => place.under(terms),
        };
        let load = move || source.read();
        place.load::<u64, _, _, _, _, _>(load, |_| after).await
    }
}

/// A put of key 1 by a function that takes its ticket, reads the source, waits at its gate and puts
/// what it has read, under the tag.
pub(crate) fn updated(
    cache: &Numbers,
    source: &Source,
) -> impl Future<Output = u64> + Send + 'static + use<> {
    let (cache, source) = (cache.clone(), source.clone());
    async move {
        let terms = Terms {
            tags: owned(&[TAG]),
            ..Terms::default()
        };
        let putting = Asked(&cache).place(&1).under(terms).put().await;
        let version = source.read().await;
        putting.end(version, |_| After::default()).await
    }
}

fn owned(tags: &[&str]) -> Vec<String> {
    tags.iter().map(|tag| (*tag).to_owned()).collect()
}

pub(crate) fn held(got: Got<u64>) -> Option<u64> {
    got.value().map(|value| *value)
}
