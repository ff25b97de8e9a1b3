//! Nodes, and a source that they load from.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use larder_core::Store;
use larder_engine::__private::{After, Asked, Terms};
use larder_engine::{Cache, CacheBuilder, Change, Larder, LarderBuilder};
use larder_kit::{Gate, Spawned, Virtual};
use larder_redis::Redis;
use larder_sim::Trace;
use larder_sim::network::{Link, Network};
use larder_sim::server::Server;

/// How long values are kept, where nothing is said.
pub(crate) const TTL: Duration = Duration::from_secs(600);

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// After this time every node obeys a change, whatever it heard: twice the heartbeat or the blind
/// ttl, whichever is longer, and an operation on the far tier.
pub(crate) const BOUND: Duration = Duration::from_millis(5_250);

/// A server, a network to it, and a source.
pub(crate) struct World {
    pub(crate) time: Virtual,
    pub(crate) network: Network,
    pub(crate) source: Source,
}

/// A node with a cache.
pub(crate) struct Node {
    pub(crate) cache: Cache<u64, u64>,
    pub(crate) link: Link,
    _larder: Larder,
    time: Virtual,
    source: Source,
}

/// Tags of a value: those that the load names, and those that only the value tells.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tags(
    pub(crate) &'static [&'static str],
    pub(crate) &'static [&'static str],
);

impl World {
    /// A world with one server.
    pub(crate) fn single() -> Self {
        let time = Virtual::new();
        let server = Server::new(&time);
        Self::over(time, &server)
    }

    /// A world with a cluster.
    pub(crate) fn cluster() -> Self {
        let time = Virtual::new();
        let server = Server::cluster(&time);
        Self::over(time, &server)
    }

    fn over(time: Virtual, server: &Server) -> Self {
        let network = Network::new(&time, server, 1, &Trace::off());
        let source = Source::default();
        Self {
            time,
            network,
            source,
        }
    }

    pub(crate) fn server(&self) -> &Server {
        self.network.server()
    }

    /// A node with both tiers that has heard a heartbeat.
    pub(crate) fn node(&self) -> Node {
        self.node_with(CacheBuilder::far)
    }

    pub(crate) fn node_with(
        &self,
        build: impl FnOnce(CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64>,
    ) -> Node {
        self.node_under(|larder| larder, build)
    }

    /// A node whose larder is set so.
    pub(crate) fn node_under(
        &self,
        set: impl FnOnce(LarderBuilder) -> LarderBuilder,
        build: impl FnOnce(CacheBuilder<u64, u64>) -> CacheBuilder<u64, u64>,
    ) -> Node {
        let link = self.network.link(0);
        let larder = Larder::builder().runtime(self.time.clone());
        let larder = set(larder.far(self.redis(&link))).build();
        let larder = larder.expect("the settings are in range");
        let cache = build(larder.cache("numbers").ttl(TTL)).build();
        self.beat();
        Node {
            cache: cache.expect("the settings are in range"),
            link,
            _larder: larder,
            time: self.time.clone(),
            source: self.source.clone(),
        }
    }

    pub(crate) fn redis(&self, link: &Link) -> Redis {
        Redis::over(Arc::new(link.clone()), self.time.runtime(), "larder")
    }

    pub(crate) fn larder(&self, far: impl Store) -> Larder {
        let larder = Larder::builder().runtime(self.time.clone()).far(far);
        larder.build().expect("the settings are in range")
    }

    /// Lets a heartbeat come.
    pub(crate) fn beat(&self) {
        self.pass(Duration::from_millis(1_100));
    }

    pub(crate) fn pass(&self, time: Duration) {
        self.time.advance(time);
    }

    /// Lets all run that can without time.
    pub(crate) fn settle(&self) {
        self.time.run_until_idle();
    }

    /// Runs a change of a node to its end.
    pub(crate) fn change(&self, change: impl Future<Output = Change>) -> Change {
        let done = self.time.block_on(change);
        self.settle();
        done
    }

    /// The names of the server's keys that hold entries.
    pub(crate) fn entries(&self) -> usize {
        let names = self.server().names().into_iter();
        names.filter(|name| name.starts_with(b"larder:")).count()
    }
}

impl Node {
    /// A call that loads, as a task that has come to where it waits.
    pub(crate) fn call(&self, key: u64, tags: Tags) -> Spawned<u64> {
        let (cache, source) = (self.cache.clone(), self.source.clone());
        let call = self.time.spawn(load(cache, source, key, tags));
        self.time.run_until_idle();
        call
    }

    /// A call that loads, to its end.
    pub(crate) fn fetch(&self, key: u64, tags: Tags) -> u64 {
        let call = self.call(key, tags);
        assert!(call.is_finished(), "the call waits");
        self.time.block_on(call)
    }

    /// A call of a value without tags.
    pub(crate) fn get(&self, key: u64) -> u64 {
        self.fetch(key, Tags::default())
    }

    /// A change, as a task that has come to where it waits.
    pub(crate) fn begin<T: Send + 'static>(
        &self,
        change: impl Future<Output = T> + Send + 'static,
    ) -> Spawned<T> {
        let change = self.time.spawn(change);
        self.time.run_until_idle();
        change
    }

    /// A function that takes its ticket, changes the source, waits at the source's gate, and puts.
    pub(crate) fn update(&self, key: u64) -> Spawned<u64> {
        let (cache, source) = (self.cache.clone(), self.source.clone());
        self.begin(async move {
            let putting = Asked(&cache).place(&key).put().await;
            let version = source.change();
            source.wait().await;
            putting.end(version, |_| After::default()).await
        })
    }

    /// How many changes wait for their acknowledgement.
    pub(crate) fn pending(&self) -> usize {
        self.cache.stats().far_tier.map_or(0, |far| far.pending)
    }
}

/// A call, as an attribute makes it.
async fn load(cache: Cache<u64, u64>, source: Source, key: u64, Tags(known, told): Tags) -> u64 {
    let owned = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect();
    let terms = Terms {
        tags: owned(known),
        ..Terms::default()
    };
    let after = After {
        tags: owned(told),
        ..After::default()
    };
    let place = match Asked(&cache).hit::<u64, _, _>(&key) {
        Ok(value) => return value,
        Err(place) => place.under(terms),
    };
    let load = move || async move { source.read().await };
    let loaded = place.load::<u64, _, _, _, _, _>(load, |_| after).await;
    loaded.expect("the source does not fail")
}

/// A version that changes, and a gate behind each look at it; clones are the same source.
#[derive(Clone, Default)]
pub(crate) struct Source(Arc<Inner>);

struct Inner {
    version: AtomicU64,
    reads: AtomicUsize,
    gate: Mutex<Gate>,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            version: AtomicU64::new(1),
            reads: AtomicUsize::new(0),
            gate: Mutex::new(Gate::opened()),
        }
    }
}

impl Source {
    pub(crate) fn change(&self) -> u64 {
        self.0.version.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How often it was read.
    pub(crate) fn reads(&self) -> usize {
        self.0.reads.load(Ordering::Relaxed)
    }

    /// From now on whoever has read waits at the gate returned; who came before waits where it was.
    pub(crate) fn hold(&self) -> Gate {
        let gate = Gate::closed();
        *self.0.gate.lock().expect("nobody panics with it") = gate.clone();
        gate
    }

    /// From now on nobody waits; who waits already goes on waiting.
    pub(crate) fn hurry(&self) {
        *self.0.gate.lock().expect("nobody panics with it") = Gate::opened();
    }

    pub(crate) async fn read(&self) -> u64 {
        self.0.reads.fetch_add(1, Ordering::Relaxed);
        let version = self.0.version.load(Ordering::Relaxed);
        self.wait().await;
        version
    }

    async fn wait(&self) {
        let gate = self.0.gate.lock().expect("nobody panics with it").clone();
        gate.wait().await;
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}

/// Plays a scenario without a guard: it has to fail.
#[cfg(larder_mutants)]
macro_rules! fails_without {
    ($guard:ident, $play:expr) => {{
        use larder_core::guards::{Guard, without};
        let play = std::panic::AssertUnwindSafe(|| without(&[Guard::$guard], || $play));
        let end = std::panic::catch_unwind(play);
        assert!(end.is_err(), "not noticed without {}", Guard::$guard.name());
    }};
}

#[cfg(not(larder_mutants))]
macro_rules! fails_without {
    ($guard:ident, $play:expr) => {};
}

pub(crate) use fails_without;
