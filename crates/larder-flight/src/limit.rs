//! A bound on how many loads run at once.

use std::sync::Arc;

use larder_core::sync::atomic::{AtomicUsize, Ordering};

/// A bound on how many loads run at once.
///
/// A cache has one of its own and shares another with its owner. Nothing waits at a limit: a load
/// over it is refused, so nothing queues without end.
///
/// ```
/// use std::sync::Arc;
/// use larder_flight::Limit;
/// let limit = Arc::new(Limit::new(1));
/// let permit = limit.try_acquire();
/// assert!(permit.is_some() && limit.try_acquire().is_none());
/// drop(permit);
/// assert_eq!(limit.in_use(), 0);
/// ```
#[derive(Debug)]
pub struct Limit {
    max: usize,
    in_use: AtomicUsize,
}

impl Limit {
    /// At most `max` at once; zero refuses every load.
    #[must_use]
    pub const fn new(max: usize) -> Self {
        Self {
            max,
            in_use: AtomicUsize::new(0),
        }
    }

    /// How many may be in use at once.
    #[must_use]
    pub const fn max(&self) -> usize {
        self.max
    }

    /// How many are in use now, never more than [`max`](Self::max).
    #[must_use]
    pub fn in_use(&self) -> usize {
        self.in_use.load(Ordering::Acquire)
    }

    /// Takes one, if one is left. It is given back when the permit is dropped.
    #[must_use]
    pub fn try_acquire(self: &Arc<Self>) -> Option<Permit> {
        let more = |used: usize| (used < self.max).then_some(used + 1);
        let taken = (self.in_use).fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        taken.ok().map(|_| Permit(Arc::clone(self)))
    }
}

/// What a load holds for as long as one of its flights runs.
pub(crate) type Permits = Arc<[Permit]>;

/// One of a [`Limit`], given back on drop.
#[derive(Debug)]
pub struct Permit(Arc<Limit>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.in_use.fetch_sub(1, Ordering::AcqRel);
    }
}
