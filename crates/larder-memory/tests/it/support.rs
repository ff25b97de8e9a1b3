//! Entries for tests, and values that count themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder_core::{Moment, Ticket};
use larder_memory::{Entry, Freshness, TagSlots};

/// An entry of this value that ends at this moment.
pub(crate) fn entry<V>(value: Option<V>, ends: u64) -> Entry<V> {
    Entry {
        value: value.map(Arc::new),
        tags: TagSlots::default(),
        freshness: Freshness::new(
            Moment::from_nanos(ends),
            Ticket {
                clock: 0,
                at: Moment::from_nanos(0),
            },
            0,
        ),
    }
}

/// Counts the values made of it and those dropped.
#[derive(Clone, Default)]
pub(crate) struct Counts(Arc<Numbers>);

#[derive(Default)]
struct Numbers {
    made: AtomicUsize,
    dropped: AtomicUsize,
}

impl Counts {
    pub(crate) fn value(&self) -> Counted {
        self.0.made.fetch_add(1, Ordering::SeqCst);
        Counted(Arc::clone(&self.0))
    }

    pub(crate) fn alive(&self) -> usize {
        self.0.made.load(Ordering::SeqCst) - self.dropped()
    }

    pub(crate) fn dropped(&self) -> usize {
        self.0.dropped.load(Ordering::SeqCst)
    }
}

pub(crate) struct Counted(Arc<Numbers>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}
