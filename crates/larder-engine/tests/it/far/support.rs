//! Nodes: larders that share a far store.

use std::time::Duration;

use larder_engine::{Fetched, Larder};
use larder_kit::Virtual;
use larder_memory::Shelf;

use crate::support::{Numbers, Source, TTL};

/// A node: a larder of its own with a cache, over a far store that others share.
pub(crate) struct Node {
    pub(crate) larder: Larder,
    pub(crate) numbers: Numbers,
}

impl Node {
    pub(crate) fn over(time: &Virtual, shelf: &Shelf) -> Self {
        let larder = larder(time, shelf);
        let numbers = larder.cache("numbers").ttl(TTL).far().build().unwrap();
        Self { larder, numbers }
    }

    pub(crate) fn far_only(time: &Virtual, shelf: &Shelf) -> Self {
        let larder = larder(time, shelf);
        let numbers = larder.cache("numbers").ttl(TTL).far_only().build();
        let numbers = numbers.unwrap();
        Self { larder, numbers }
    }

    pub(crate) async fn fetch(&self, source: &Source) -> Fetched<u64> {
        source.fetch(&self.numbers, 1).await.unwrap()
    }
}

pub(crate) fn larder(time: &Virtual, shelf: &Shelf) -> Larder {
    let larder = Larder::builder().runtime(time.clone()).far(shelf.clone());
    larder.build().unwrap()
}

pub(crate) fn shelf(time: &Virtual) -> Shelf {
    Shelf::new(time.runtime().as_ref())
}

/// Lets messages and heartbeats pass.
pub(crate) fn beat(time: &Virtual) {
    time.advance(Duration::from_millis(1_100));
}
