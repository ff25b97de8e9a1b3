//! A cache with a window, over a source that does what a test tells it to.

use std::future::Future;
use std::time::Duration;

use larder_core::{LoadError, LoadErrorKind};
use larder_engine::{Cache, CacheBuilder, Fetched, Outcome, Stale};
use larder_kit::{KitError, Loader, Step, Virtual};

use crate::support::{INSTANT, SECOND, larder};

pub(crate) const TTL: Duration = Duration::from_secs(10);
pub(crate) const WINDOW: Duration = Duration::from_secs(60);
pub(crate) const THROTTLE: Duration = Duration::from_secs(2);

pub(crate) type Texts = Cache<u64, String>;

pub(crate) struct Rig {
    pub(crate) time: Virtual,
    pub(crate) cache: Texts,
    pub(crate) loader: Loader,
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self::with(|cache| cache)
    }

    /// With ttl, window and throttle, and what a test adds.
    pub(crate) fn with(
        settings: impl FnOnce(CacheBuilder<u64, String>) -> CacheBuilder<u64, String>,
    ) -> Self {
        let time = Virtual::new();
        let cache = larder(&time).cache("texts").ttl(TTL);
        let cache = settings(cache.stale(WINDOW).throttle(THROTTLE));
        Self {
            cache: cache.build().unwrap(),
            loader: Loader::new(time.runtime()),
            time,
        }
    }

    /// A call of key 1, for a task of its own.
    pub(crate) fn call(
        &self,
    ) -> impl Future<Output = Result<Fetched<String>, LoadError>> + Send + use<> {
        let (cache, loader) = (self.cache.clone(), self.loader.clone());
        async move { cache.fetch(&1, move || loader.call(1)).await }
    }

    /// What a call gives without any time passing.
    pub(crate) fn fetch(&self) -> Result<Fetched<String>, LoadError> {
        self.time.block_on(self.call())
    }

    /// The name of a call's outcome, and its value.
    pub(crate) fn said(&self) -> (&'static str, String) {
        let fetched = self.fetch().unwrap();
        (fetched.outcome.detail(), fetched.value)
    }

    /// Loads `text`, and lets its ttl pass.
    pub(crate) fn aged(&self, text: &str) {
        self.loader.then(Step::value(text));
        assert_eq!(self.said(), ("loaded", text.to_owned()));
        // A jump, so that nothing is swept.
        self.time.hand().advance(TTL);
    }

    pub(crate) fn at_rest(&self) {
        self.time.run_until_idle();
        assert_eq!(self.cache.stats().running, 0);
        assert_eq!(self.time.tasks(), 1, "the sweep is left");
    }
}

pub(crate) fn stale(outcome: &Outcome) -> Option<Stale> {
    match outcome {
        Outcome::Stale { because, .. } => Some(*because),
        _ => None,
    }
}

pub(crate) fn kind<T: std::fmt::Debug>(answer: Result<T, LoadError>) -> LoadErrorKind {
    answer.unwrap_err().kind()
}

pub(crate) fn says(error: &LoadError, text: &str) -> bool {
    let original = error.downcast_ref::<KitError>();
    original.is_some_and(|error| error.to_string().contains(text))
}

/// Just before the end of ttl and window.
pub(crate) fn last_instant() -> Duration {
    WINDOW - INSTANT
}

/// So long that a hung load is over.
pub(crate) const LONG: Duration = Duration::from_secs(40);

/// A while in which no load ends by its deadline.
pub(crate) const WHILE: Duration = SECOND;
