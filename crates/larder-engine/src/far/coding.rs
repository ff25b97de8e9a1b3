//! Values as a far store keeps them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use larder_core::Ttl;

use crate::outcome::Why;
use crate::span::Life;

/// Turns values into frames and back, for one cache.
pub(crate) trait Coding<V>: Send + Sync {
    /// The shape of the values, as frames carry it.
    fn schema(&self) -> u64;

    /// A key's name in the store, from its text.
    fn name(&self, text: String) -> Bytes;

    /// The frame of a value, or why there is none.
    fn encode(&self, name: &[u8], value: Option<&V>, about: &About<'_>) -> Result<Bytes, Unfit>;

    /// The value of a frame, or why it is none.
    fn decode(&self, name: &[u8], frame: &[u8]) -> Result<Decoded<V>, Why>;
}

/// What a frame says of its value.
pub(crate) struct About<'a> {
    pub(crate) tags: &'a [String],
    pub(crate) ttl: Duration,
    /// How long after that it may be fallen back to.
    pub(crate) stale: Duration,
    /// How old the value is when it is stored.
    pub(crate) age: Duration,
    pub(crate) cost: Duration,
    /// What its source knows it by.
    pub(crate) validator: Option<&'a [u8]>,
}

impl<'a> About<'a> {
    /// Of a value that took `cost` to load.
    pub(crate) fn of(tags: &'a [String], life: Life, cost: Duration) -> Self {
        Self {
            tags,
            ttl: life.ttl,
            stale: life.stale.min(Ttl::MAX.duration() - life.ttl),
            age: cost,
            cost,
            validator: None,
        }
    }

    /// How long it is of any use.
    pub(crate) fn kept(&self) -> Duration {
        self.ttl + self.stale
    }
}

/// A value from a frame.
pub(crate) struct Decoded<V> {
    pub(crate) value: Option<Arc<V>>,
    pub(crate) tags: Vec<String>,
    pub(crate) ttl: Duration,
    pub(crate) stale: Duration,
    pub(crate) age: Duration,
    pub(crate) cost: Duration,
    pub(crate) validator: Option<Box<[u8]>>,
}

/// Why a value is not stored far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// Its frame is over the limit.
    TooLarge,
    /// The codec cannot say it.
    Unencodable,
}
