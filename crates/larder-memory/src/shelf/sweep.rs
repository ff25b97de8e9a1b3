//! The ability to remove what a cache holds.

use std::future::poll_fn;
use std::task::Poll;

use larder_core::BoxFuture;
use larder_core::far::{FarError, Sweep};

use super::Shelf;
use super::name::prefix;

impl Sweep for Shelf {
    /// Removes entries, plain bytes, tokens and the number, 256 keys at a time; other tasks run in
    /// between. Costs a look at every key of the store. What is stored meanwhile may stay.
    fn purge<'a>(&'a self, cache: &'a str) -> BoxFuture<'a, Result<u64, FarError>> {
        Box::pin(async move {
            let prefix = prefix(cache);
            let mut removed = 0;
            let mut end = usize::MAX;
            while end > 0 {
                let (more, next) = self.locked(|inner| inner.keys.purge(&prefix, end, BATCH));
                removed += more;
                end = next;
                let_others_run().await;
            }
            Ok(removed)
        })
    }
}

const BATCH: usize = 256;

async fn let_others_run() {
    let mut yielded = false;
    poll_fn(|context| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
