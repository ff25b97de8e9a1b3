//! Removing what a cache holds.

use super::FarError;
use crate::BoxFuture;

/// Removes what a cache holds, in small batches, for operators: invalidation never needs it.
pub trait Sweep: Send + Sync + 'static {
    /// Removes every key of `cache` and of no other, and says how many it were. Names are never
    /// patterns.
    ///
    /// # Errors
    /// Some may be removed.
    fn purge<'a>(&'a self, cache: &'a str) -> BoxFuture<'a, Result<u64, FarError>>;
}
