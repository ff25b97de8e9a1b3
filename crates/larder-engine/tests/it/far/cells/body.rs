//! What runs in a load.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_lite::Stream;
use futures_lite::future::block_on;
use futures_lite::stream;
use larder_core::{LoadErrorKind, Runtime, blocking};
use larder_kit::{Gate, KitError, Virtual};

use super::stage::VALUE;

/// How a load ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Value,
    Error,
    /// With an error after a part of the result, or for one of two keys.
    Partly,
    Panic,
    /// Not before its deadline, and with a value after it.
    Hang,
}

impl End {
    pub(super) fn answer(self) -> Result<Vec<u64>, LoadErrorKind> {
        match self {
            Self::Value => Ok(vec![VALUE]),
            Self::Error | Self::Partly => Err(LoadErrorKind::Source),
            Self::Panic => Err(LoadErrorKind::Panicked),
            Self::Hang => Err(LoadErrorKind::TimedOut),
        }
    }

    fn result(self) -> Result<Vec<u64>, KitError> {
        match self {
            Self::Value | Self::Hang => Ok(vec![VALUE]),
            Self::Error | Self::Partly => Err(KitError::new("down")),
            Self::Panic => panic!("on purpose"),
        }
    }
}

pub(super) type Pairs = Vec<(u64, Result<Vec<u64>, KitError>)>;

/// A load that waits at a gate and ends as it is told; it counts its runs, and those that run.
#[derive(Clone)]
pub(super) struct Body {
    pub(super) gate: Gate,
    end: End,
    runtime: Arc<dyn Runtime>,
    calls: Arc<AtomicUsize>,
    running: Arc<AtomicUsize>,
}

struct Runs(Arc<AtomicUsize>);

impl Drop for Runs {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Body {
    pub(super) fn new(time: &Virtual, gate: Gate, end: End) -> Self {
        Self {
            gate,
            end,
            runtime: time.runtime(),
            calls: Arc::default(),
            running: Arc::default(),
        }
    }

    pub(super) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(super) fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    fn enter(&self) -> Runs {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.running.fetch_add(1, Ordering::SeqCst);
        Runs(Arc::clone(&self.running))
    }

    pub(super) async fn run(self) -> Result<Vec<u64>, KitError> {
        let _runs = self.enter();
        self.gate.wait().await;
        self.end.result()
    }

    /// Through the runtime's pool for work that blocks, whose gate is this one's.
    pub(super) async fn offload(self) -> Result<Vec<u64>, KitError> {
        let _runs = self.enter();
        let end = self.end;
        let done = blocking(&*self.runtime, move || end.result()).await;
        done.unwrap_or_else(|error| panic!("{error}"))
    }

    /// In the thread of its caller.
    pub(super) fn block(self) -> Result<Vec<u64>, KitError> {
        block_on(self.run())
    }

    /// An element before the gate if it ends partly, and the rest behind it.
    pub(super) fn stream(self) -> impl Stream<Item = Result<u64, KitError>> + Send + Unpin {
        let early = (self.end == End::Partly).then_some(Ok(VALUE));
        let late = async move { self.run().await.map(|items| items[0]) };
        let all = futures_lite::StreamExt::chain(stream::iter(early), stream::once_future(late));
        Box::pin(all)
    }

    /// The same for each of the keys; if it ends partly, an error for the first alone.
    pub(super) async fn pairs(self, keys: Vec<u64>) -> Result<Pairs, KitError> {
        let partly = self.end == End::Partly;
        let one = match self.run().await {
            Err(error) if partly => Err(error),
            ended => Ok(ended?),
        };
        let answer = |key| match &one {
            Err(error) if key == 1 => (key, Err(error.clone())),
            Err(_) => (key, Ok(vec![VALUE])),
            Ok(value) => (key, Ok(value.clone())),
        };
        Ok(keys.into_iter().map(answer).collect())
    }
}
