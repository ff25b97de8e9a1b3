//! A source past the cache.

use std::sync::Arc;
use std::task::{Context, Poll};

use larder_core::{BoxFuture, Key, LoadError};

use super::drive::{Drive, Driven, Inlet};
use super::log::{Log, Next};
use super::series::Series;
use crate::cache::Inner;
use crate::load::Ask;

/// A source that runs in the call, and as fast as that reads; its first error ends it, as in the
/// cache. So do its deadline and a panic, unless it is to run as if there were no cache.
pub(super) struct Past<V: Series> {
    log: Arc<Log<V>>,
    reader: u64,
    /// `None` once it has ended.
    source: Option<BoxFuture<'static, Driven<V>>>,
    failed: Option<LoadError>,
}

impl<V: Series> Past<V> {
    pub(super) fn new<K: Key>(inner: Arc<Inner<K, V>>, ask: Ask, source: impl Drive<V>) -> Self {
        let log = Arc::new(Log::new(1));
        let reader = log.follow().expect("nothing was given yet");
        let drive = source.drive(Inlet::new(&log));
        let run = async move {
            if ask.bypass {
                return drive.await;
            }
            let driven = inner.alone(&ask, async { Ok(drive.await) }).await;
            driven.unwrap_or_else(Driven::failed)
        };
        Self {
            log,
            reader,
            source: Some(Box::pin(run)),
            failed: None,
        }
    }

    pub(super) fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Arc<V::Item>, LoadError>>> {
        loop {
            match self.log.next(self.reader) {
                Next::Item(item) => return Poll::Ready(Some(Ok(item))),
                Next::Over => return Poll::Ready(None),
                Next::Failed(error) => return Poll::Ready(Some(Err(error))),
                Next::NotYet => {}
            }
            let Some(source) = &mut self.source else {
                return Poll::Ready(self.failed.take().map(Err));
            };
            if let Poll::Ready(driven) = source.as_mut().poll(cx) {
                self.source = None;
                self.failed = driven.error();
                continue;
            }
            // It may wait for its reader, who has not seen yet what it has given in this poll.
            return match self.log.next(self.reader) {
                Next::Item(item) => Poll::Ready(Some(Ok(item))),
                _ => Poll::Pending,
            };
        }
    }
}
