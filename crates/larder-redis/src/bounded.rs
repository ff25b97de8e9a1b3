//! Waiting no longer than so long.

use std::time::Duration;

use futures_lite::future::or;
use larder_core::Runtime;

/// What a future gives, unless that takes longer. If both are due, the future wins.
pub(crate) async fn bounded<T>(
    runtime: &dyn Runtime,
    bound: Duration,
    future: impl Future<Output = T>,
) -> Option<T> {
    let late = async {
        runtime.sleep(bound).await;
        None
    };
    or(async { Some(future.await) }, late).await
}
