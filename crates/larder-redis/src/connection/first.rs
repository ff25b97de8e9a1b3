//! Asking several for one answer.

use std::future::poll_fn;
use std::task::Poll;

use larder_core::BoxFuture;

/// The answer of the first attempt that succeeds; if none does, the error of the last that failed.
///
/// They begin in their order: each as soon as the one before has failed, or after a pause as `pause`
/// makes it, so that one who does not answer holds nobody up and one who does is asked alone. `None`
/// if there are no attempts.
pub(super) async fn first<'a, T, E>(
    attempts: Vec<BoxFuture<'a, Result<T, E>>>,
    pause: impl Fn() -> BoxFuture<'a, ()>,
) -> Option<Result<T, E>> {
    let mut waiting = attempts.into_iter();
    let mut begun: Vec<_> = waiting.next().into_iter().collect();
    let mut paused = pause();
    let mut end = None;
    poll_fn(move |context| {
        loop {
            let mut failed = false;
            let mut at = 0;
            while at < begun.len() {
                match begun[at].as_mut().poll(context) {
                    Poll::Pending => at += 1,
                    Poll::Ready(Ok(answer)) => return Poll::Ready(Some(Ok(answer))),
                    Poll::Ready(Err(error)) => {
                        drop(begun.swap_remove(at));
                        end = Some(Err(error));
                        failed = true;
                    }
                }
            }
            let next = failed || (waiting.len() > 0 && paused.as_mut().poll(context).is_ready());
            let begins = if next { waiting.next() } else { None };
            match begins {
                Some(attempt) => begun.push(attempt),
                None if begun.is_empty() => return Poll::Ready(end.take()),
                None => return Poll::Pending,
            }
            paused = pause();
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_lite::future::{block_on, pending, ready, yield_now};

    use super::*;

    /// An attempt that counts itself and then ends so, or never.
    fn attempt(
        begun: &Arc<AtomicUsize>,
        end: Option<Result<u8, u8>>,
    ) -> BoxFuture<'static, Result<u8, u8>> {
        let begun = Arc::clone(begun);
        Box::pin(async move {
            begun.fetch_add(1, Ordering::Relaxed);
            yield_now().await;
            match end {
                Some(end) => end,
                None => pending().await,
            }
        })
    }

    /// How it ends, and how many were begun.
    fn ends(
        all: &[Option<Result<u8, u8>>],
        pause: fn() -> BoxFuture<'static, ()>,
    ) -> (Option<Result<u8, u8>>, usize) {
        let begun = Arc::default();
        let attempts = all.iter().map(|end| attempt(&begun, *end)).collect();
        let end = block_on(first(attempts, pause));
        (end, begun.load(Ordering::Relaxed))
    }

    #[test]
    fn the_next_begins_when_one_fails_and_none_when_one_succeeds() {
        let never = || -> BoxFuture<'static, ()> { Box::pin(pending()) };
        let all = [Some(Err(1)), Some(Ok(2)), Some(Ok(3))];
        assert_eq!(ends(&all, never), (Some(Ok(2)), 2));
        assert_eq!(
            ends(&[Some(Err(1)), Some(Err(2))], never),
            (Some(Err(2)), 2)
        );
        assert_eq!(ends(&[], never), (None, 0));
    }

    #[test]
    fn who_does_not_answer_holds_nobody_up() {
        let at_once = || -> BoxFuture<'static, ()> { Box::pin(ready(())) };
        assert_eq!(
            ends(&[None, Some(Err(1)), Some(Ok(3))], at_once),
            (Some(Ok(3)), 3)
        );
    }
}
