//! Dropping what has expired.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use larder_core::Key;

use crate::cache::Inner;
use crate::lifetime::{Lifetime, Times};

/// Sweeps the cache from time to time for as long as anybody holds it.
///
/// Expired entries are never used, so this is about memory only: an entry is dropped at the latest
/// one interval after its end. A sweep walks all entries, a shard of them under its lock at a time.
pub(crate) fn start<K: Key, V: Send + Sync + 'static>(inner: &Arc<Inner<K, V>>) {
    let Some(every) = interval(&inner.times) else {
        return;
    };
    let runtime = Arc::clone(&inner.runtime);
    let cache = Arc::downgrade(inner);
    inner.runtime.spawn(Box::pin(async move {
        loop {
            runtime.sleep(every).await;
            let Some(cache) = cache.upgrade() else {
                return;
            };
            // Dropping a value runs the user's code. A panic in it must end neither the sweeps nor a
            // thread of the runtime.
            let _ = catch_unwind(AssertUnwindSafe(move || cache.sweep()));
        }
    }));
}

/// The longest ttl, within a second and a minute; `None` where nothing expires.
fn interval(times: &Times) -> Option<Duration> {
    let ends = [times.value, times.absence].into_iter();
    let longest = ends.filter_map(|lifetime| match lifetime {
        Lifetime::For(ttl) => Some(ttl.duration()),
        Lifetime::Endless | Lifetime::Not => None,
    });
    let longest = longest.max()?;
    Some(longest.clamp(Duration::from_secs(1), Duration::from_secs(60)))
}
