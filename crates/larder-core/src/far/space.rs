//! A cache's place in a far store.

use std::sync::Arc;
use std::time::Duration;

/// A cache's place in a far store: its name, who writes, the shape of what is written, and how long
/// the store keeps what is not an entry. Made once a cache; handed over with each operation.
#[derive(Debug, Clone)]
pub struct Space {
    cache: Arc<str>,
    node: u64,
    schema: u64,
    load: Duration,
    barrier: Duration,
    foreign_writers: bool,
}

impl Space {
    /// The place of `cache`, written by `node` (random, one a larder) in the shape `schema`.
    #[must_use]
    pub fn new(cache: Arc<str>, node: u64, schema: u64) -> Self {
        Self {
            cache,
            node,
            schema,
            load: Duration::from_secs(30),
            barrier: Duration::from_secs(3 * 3600),
            foreign_writers: false,
        }
    }

    /// Sets how long a load may take, and how long barriers and numbers live: three times the
    /// longest life of an entry, so that one that expires kills and never revives.
    #[must_use]
    pub fn lives(mut self, load: Duration, barrier: Duration) -> Self {
        self.load = load;
        self.barrier = barrier;
        self
    }

    /// Says that others than larder write and delete entries here, for a bus that
    /// [can tell](super::Bus::hears_writers).
    #[must_use]
    pub const fn with_foreign_writers(mut self) -> Self {
        self.foreign_writers = true;
        self
    }

    /// Whether a bus has to tell what others than larder write here.
    #[must_use]
    pub const fn has_foreign_writers(&self) -> bool {
        self.foreign_writers
    }

    /// The cache's name: any text; a store escapes it.
    #[must_use]
    pub fn cache(&self) -> &str {
        &self.cache
    }

    /// Who writes. Messages carry it, so that a node skips its own.
    #[must_use]
    pub const fn node(&self) -> u64 {
        self.node
    }

    /// The shape of what is written; an entry holds at most two.
    #[must_use]
    pub const fn schema(&self) -> u64 {
        self.schema
    }

    /// How long a token without an entry lives.
    #[must_use]
    pub const fn load(&self) -> Duration {
        self.load
    }

    /// How long barrier tokens and the number live without being renewed.
    #[must_use]
    pub const fn barrier(&self) -> Duration {
        self.barrier
    }
}
