//! Waiting for several things at once.

use std::future::poll_fn;
use std::task::Poll;

use larder_core::BoxFuture;

/// What all of them give, in their order.
pub(super) async fn together<T: Send>(mut all: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    let mut ends: Vec<_> = all.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (one, end) in all.iter_mut().zip(&mut ends) {
            if end.is_none()
                && let Poll::Ready(value) = one.as_mut().poll(context)
            {
                *end = Some(value);
            }
        }
        if ends.iter().all(Option::is_some) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    ends.into_iter().flatten().collect()
}
