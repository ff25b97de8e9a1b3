//! A source that gives what a test tells it to.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_lite::{Stream, StreamExt, future::poll_once};
use larder_core::{LoadError, LoadErrorKind};
use larder_engine::{Cache, CacheBuilder, CallOptions};
use larder_kit::Virtual;
use smol::channel::{Receiver, Sender, unbounded};

use crate::support::{TTL, larder};

pub(crate) type Lists = Cache<u64, Vec<u64>>;
pub(crate) type Item = Result<u64, LoadErrorKind>;
pub(crate) type Items = Pin<Box<dyn Stream<Item = Item> + Send>>;

pub(crate) fn lists(time: &Virtual) -> CacheBuilder<u64, Vec<u64>> {
    larder(time).cache("lists").ttl(TTL)
}

const PANIC: &str = "panic";

/// A source whose elements are given one by one.
#[derive(Clone)]
pub(crate) struct Tap {
    send: Sender<Result<u64, &'static str>>,
    receive: Receiver<Result<u64, &'static str>>,
    calls: Arc<AtomicUsize>,
}

impl Tap {
    pub(crate) fn new() -> Self {
        let (send, receive) = unbounded();
        Self {
            send,
            receive,
            calls: Arc::default(),
        }
    }

    /// One that has given `items` and its end.
    pub(crate) fn of(items: impl IntoIterator<Item = u64>) -> Self {
        let tap = Self::new();
        tap.give(items);
        tap.end();
        tap
    }

    pub(crate) fn give(&self, items: impl IntoIterator<Item = u64>) {
        items
            .into_iter()
            .for_each(|item| self.send.try_send(Ok(item)).unwrap());
    }

    pub(crate) fn fail(&self) {
        self.send.try_send(Err("no line")).unwrap();
    }

    /// Its stream panics when it comes to here.
    pub(crate) fn panic(&self) {
        self.send.try_send(Err(PANIC)).unwrap();
    }

    pub(crate) fn end(&self) {
        self.send.close();
    }

    /// How often it was started.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// How many of its streams are there.
    pub(crate) fn running(&self) -> usize {
        self.send.receiver_count() - 1
    }

    /// How many elements nobody has taken.
    pub(crate) fn untaken(&self) -> usize {
        self.send.len()
    }

    /// The source.
    pub(crate) fn start(&self) -> Receiver<Result<u64, &'static str>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.receive.clone()
    }

    /// A call of key 1 that starts this source if it has to.
    pub(crate) fn call(&self, cache: &Lists) -> Items {
        self.call_with(cache, CallOptions::new())
    }

    pub(crate) fn call_with(&self, cache: &Lists, options: CallOptions) -> Items {
        let tap = self.clone();
        let source = move || {
            tap.start().inspect(|item| {
                assert_ne!(*item, Err(PANIC), "on purpose");
            })
        };
        let items = cache.get_or_stream_with(&1, options, source);
        Box::pin(items.map(plain))
    }
}

pub(crate) fn plain(item: Result<u64, LoadError>) -> Item {
    item.map_err(|error| error.kind())
}

/// What a call is given to its end.
pub(crate) fn all(time: &Virtual, items: Items) -> Vec<Item> {
    time.block_on(items.collect())
}

/// What a call is given now, when all tasks have run; `None` for an end.
pub(crate) fn ready(time: &Virtual, items: &mut Items) -> Vec<Option<Item>> {
    let mut given = Vec::new();
    loop {
        let mut next = Box::pin(items.next());
        let mut polled = time.block_on(poll_once(&mut next));
        if polled.is_none() {
            time.run_until_idle();
            polled = time.block_on(poll_once(&mut next));
        }
        drop(next);
        match polled {
            None => return given,
            Some(None) => {
                given.push(None);
                return given;
            }
            Some(item) => given.push(item),
        }
    }
}

pub(crate) fn some(items: impl IntoIterator<Item = u64>) -> Vec<Option<Item>> {
    items.into_iter().map(|item| Some(Ok(item))).collect()
}

pub(crate) fn held(time: &Virtual, cache: &Lists) -> Option<Vec<u64>> {
    let value = time.block_on(cache.get(&1)).value();
    value.map(|value| value.to_vec())
}
