//! Values as a far store keeps them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::outcome::Why;

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
    /// How old the value is when it is stored.
    pub(crate) age: Duration,
    pub(crate) cost: Duration,
}

/// A value from a frame.
pub(crate) struct Decoded<V> {
    pub(crate) value: Option<Arc<V>>,
    pub(crate) tags: Vec<String>,
    pub(crate) ttl: Duration,
    pub(crate) age: Duration,
}

/// Why a value is not stored far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// Its frame is over the limit.
    TooLarge,
    /// The codec cannot say it.
    Unencodable,
}
