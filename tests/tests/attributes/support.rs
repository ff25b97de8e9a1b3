//! What the tests share: a deal, a count of calls, caches on virtual time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder::{Cache, Key, Larder};
use larder_kit::Virtual;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deal {
    pub(crate) no: u64,
    pub(crate) title: String,
}

pub(crate) fn deal(no: u64) -> Deal {
    let title = format!("deal {no}");
    Deal { no, title }
}

/// How often a body was entered; clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Calls(Arc<AtomicUsize>);

impl Calls {
    /// Counts one more, and gives the count.
    pub(crate) fn enter(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// A cache of its own larder, on `time`.
pub(crate) fn cache<K: Key, V: Send + Sync + 'static>(time: &Virtual) -> Cache<K, V> {
    let larder = Larder::builder().runtime(time.clone()).build();
    let larder = larder.expect("the defaults are in range");
    larder
        .cache("test")
        .build()
        .expect("the settings are in range")
}
