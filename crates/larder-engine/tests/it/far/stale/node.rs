//! Nodes with a window, over a far store that can be slow and fail.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use larder_core::LoadError;
use larder_core::far::{Abilities, Guarded};
use larder_engine::{Cache, CacheBuilder, Fetched, Larder};
use larder_kit::{Able, FailingFar, Loader, SlowFar, Step, Virtual};
use larder_memory::Shelf;

use crate::far::support::shelf;
use crate::support::SECOND;

pub(crate) const TTL: Duration = Duration::from_secs(10);
pub(crate) const WINDOW: Duration = Duration::from_secs(60);
pub(crate) const THROTTLE: Duration = Duration::from_secs(2);

type Builder = CacheBuilder<u64, String>;

/// A node; its source is its own, so that what it loads can be told from what others do.
pub(crate) struct Node {
    pub(crate) time: Virtual,
    pub(crate) cache: Cache<u64, String>,
    pub(crate) loader: Loader,
    pub(crate) slow: SlowFar,
    pub(crate) failing: FailingFar,
}

impl Node {
    pub(crate) fn over(time: &Virtual, shelf: &Shelf, build: fn(Builder) -> Builder) -> Self {
        let guarded: Arc<dyn Guarded> = Arc::new(shelf.clone());
        let failing = FailingFar::new(guarded);
        let slow = SlowFar::new(Arc::new(failing.clone()));
        let abilities = Abilities::default()
            .guarded(&Arc::new(slow.clone()))
            .bus(&Arc::new(shelf.clone()));
        let store = Able::new(shelf.clone(), abilities);
        let larder = Larder::builder().runtime(time.clone()).far(store).build();
        let cache = larder.unwrap().cache("texts").ttl(TTL);
        let cache = build(cache.stale(WINDOW).throttle(THROTTLE)).build();
        Self {
            time: time.clone(),
            cache: cache.unwrap(),
            loader: Loader::new(time.runtime()),
            slow,
            failing,
        }
    }

    /// A call of key 1, whose value has the tag `t`.
    pub(crate) fn call(
        &self,
    ) -> impl Future<Output = Result<Fetched<String>, LoadError>> + Send + use<> {
        let (cache, loader) = (self.cache.clone(), self.loader.clone());
        async move {
            let options = larder_engine::CallOptions::new().tag("t");
            cache.fetch_with(&1, options, move || loader.call(1)).await
        }
    }

    pub(crate) fn fetch(&self) -> Result<Fetched<String>, LoadError> {
        self.time.block_on(self.call())
    }

    pub(crate) fn said(&self) -> (&'static str, String) {
        let fetched = self.fetch().unwrap();
        (fetched.outcome.detail(), fetched.value)
    }

    pub(crate) fn fails(&self) {
        self.loader.always(Step::error("down"));
    }
}

/// Two nodes that share a store.
pub(crate) struct Two {
    pub(crate) time: Virtual,
    pub(crate) shelf: Shelf,
    pub(crate) one: Node,
    pub(crate) two: Node,
}

impl Two {
    pub(crate) fn of(build: fn(Builder) -> Builder) -> Self {
        let time = Virtual::new();
        let shelf = shelf(&time);
        let node = || Node::over(&time, &shelf, build);
        let (one, two) = (node(), node());
        time.advance(SECOND * 2);
        Self {
            one,
            two,
            shelf,
            time,
        }
    }

    /// The first node has loaded `old`, and its ttl has passed.
    pub(crate) fn aged(build: fn(Builder) -> Builder) -> Self {
        let nodes = Self::of(build);
        nodes.one.loader.then(Step::value("old"));
        assert_eq!(nodes.one.said(), ("loaded", "old".to_owned()));
        nodes.time.advance(TTL);
        nodes
    }
}
