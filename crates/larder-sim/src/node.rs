//! A node: a larder with its cache, in a process of its own.

mod body;
mod calls;
mod changes;
mod loads;
mod many;
mod streams;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use larder_core::BoxFuture;
use larder_engine::{BuildError, Cache, CacheBuilder, Larder, Mode, Stats};
use larder_kit::Virtual;

use crate::far::{Line, Store, Way};
use crate::history::{Asked, Given, History, Life};
use crate::plan::{Old, Plan, Setup, Step, Tiers};
use crate::process::Process;
use crate::value::{First, Second, Shape};

/// The cache's name: the same on every node, so that they share it.
pub(crate) const CACHE: &str = "things";

/// A node, from its start to its end or crash.
pub(crate) struct Node {
    pub(crate) life: Life,
    pub(crate) process: Process,
    pub(crate) way: Option<Arc<Way>>,
    pub(crate) larder: Larder,
    cache: Arc<dyn Service>,
    /// How many calls were made that the statistics count.
    counted: Arc<AtomicU64>,
}

/// A cache of whichever version.
trait Service: Send + Sync {
    fn perform(self: Arc<Self>, asked: Asked, step: Step) -> BoxFuture<'static, Vec<Given>>;
    fn stats(&self) -> Stats;
    fn mode(&self) -> Mode;
    fn switch(&self, mode: Mode);
}

/// What a version of the program holds.
struct Version<V> {
    cache: Cache<u64, V>,
    process: Process,
    history: History,
    life: Life,
    /// How many keys there are.
    keys: u64,
    max_stream: usize,
    counted: Arc<AtomicU64>,
}

impl Node {
    /// Starts a node in the version that its place has.
    pub(crate) fn start(
        time: &Virtual,
        history: &History,
        store: &Store,
        plan: &Plan,
        life: Life,
        place: usize,
    ) -> Result<Self, BuildError> {
        let setup = &plan.setup;
        let process = Process::start(time);
        let way = (setup.tiers != Tiers::Near).then(|| {
            let line = Line::new(time, &process, history, life, plan);
            Arc::new(store.way(&line))
        });
        let mut larder = Larder::builder().shared_runtime(Arc::new(process.clone()));
        if let Some(way) = &way {
            larder = way.under(larder, setup.tiers).blind_ttl(setup.blind);
        }
        if matches!(setup.tiers, Tiers::Both | Tiers::Far) {
            larder = larder.heartbeat(setup.heartbeat);
        }
        if let Some(window) = setup.requeue {
            larder = larder.requeue(window);
        }
        let larder = larder.build()?;
        let counted = Arc::new(AtomicU64::new(0));
        let parts = (&larder, setup, history, &process, life, &counted);
        let cache = if setup.two_versions && place % 2 == 1 {
            version::<Second>(parts)?
        } else {
            version::<First>(parts)?
        };
        Ok(Self {
            life,
            process,
            way,
            larder,
            cache,
            counted,
        })
    }

    /// Performs a step in the node's process, as a call that may leave.
    pub(crate) fn perform(&self, history: &History, step: Step) -> BoxFuture<'static, ()> {
        let (cache, history, life) = (Arc::clone(&self.cache), history.clone(), self.life);
        let process = self.process.clone();
        Box::pin(calls::made(cache, process, history, life, step))
    }

    pub(crate) fn stats(&self) -> Stats {
        self.cache.stats()
    }

    /// Sets how far the node's cache is used.
    pub(crate) fn switch(&self, mode: Mode) {
        self.cache.switch(mode);
    }

    pub(crate) fn counted(&self) -> u64 {
        self.counted.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("life", &self.life)
            .finish_non_exhaustive()
    }
}

type Parts<'a> = (
    &'a Larder,
    &'a Setup,
    &'a History,
    &'a Process,
    Life,
    &'a Arc<AtomicU64>,
);

fn version<V: Shape>(parts: Parts<'_>) -> Result<Arc<dyn Service>, BuildError> {
    let (larder, setup, history, process, life, counted) = parts;
    let cache: CacheBuilder<u64, V> = larder
        .cache(CACHE)
        .ttl(setup.ttl)
        .absent_ttl(setup.absent_ttl)
        .capacity(setup.capacity)
        .deadline(setup.deadline)
        .max_loads(setup.max_loads)
        .max_stream(setup.max_stream);
    let cache = with_old(cache, &setup.old);
    let cache = match (setup.tiers, setup.old.error_ttl) {
        (Tiers::Far, _) | (_, None) => cache,
        (_, Some(ttl)) => cache.error_ttl(ttl),
    };
    let cache = match setup.lease {
        Some(time) => cache.lease(time),
        None => cache,
    };
    let cache = match setup.tiers {
        Tiers::Near => cache,
        Tiers::Both | Tiers::Deaf => far(cache.far(), setup),
        Tiers::Far => far(cache.far_only(), setup),
    };
    Ok(Arc::new(Version {
        cache: cache.build()?,
        process: process.clone(),
        history: history.clone(),
        life,
        keys: setup.keys,
        max_stream: setup.max_stream,
        counted: Arc::clone(counted),
    }))
}

fn far<V: Shape>(cache: CacheBuilder<u64, V>, setup: &Setup) -> CacheBuilder<u64, V> {
    cache.far_deadline(setup.far_deadline).queue(setup.queue)
}

/// What is done with what is past its time.
fn with_old<V: Shape>(cache: CacheBuilder<u64, V>, old: &Old) -> CacheBuilder<u64, V> {
    let mut cache = cache.jitter(old.jitter);
    if let Some(window) = old.stale {
        cache = cache.stale(window).throttle(old.throttle);
    }
    if let Some(age) = old.max_age {
        cache = cache.max_age(age);
    }
    if let Some(deadline) = old.soft {
        cache = cache.soft(deadline);
    }
    if let Some(refresh) = old.refresh {
        cache = cache.refresh(refresh);
    }
    if let Some(unused) = old.idle {
        cache = cache.idle(unused);
    }
    cache
}
