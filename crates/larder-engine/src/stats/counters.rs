//! Counting: every call once, in one place.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::Stats;
use crate::event::{Tier, What};
use crate::events::Teller;
use crate::outcome::{Outcome, Why};

/// Stripes of the first threads that hit anything, each written by its thread alone.
const OWNED: usize = 16;

/// All stripes; later threads share those that are left.
const STRIPES: usize = 2 * OWNED;

/// Two cache lines, since processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Stripe(AtomicU64);

/// Hits are counted on a line per thread; everything rarer on lines of its own kind.
pub(crate) struct Counters {
    teller: Arc<Teller>,
    near: [Stripe; STRIPES],
    far: AtomicU64,
    stale: AtomicU64,
    joined: AtomicU64,
    loaded: AtomicU64,
    bypassed: AtomicU64,
    failed: AtomicU64,
    missed: Count,
    abandoned: Count,
    refused: Count,
    too_heavy: Count,
    kept_errors: Count,
    refreshes: Count,
    failed_refreshes: Count,
    long_keys: Count,
    puts: Count,
    invalidations: Count,
    clears: Count,
    swept: Count,
}

#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self) {
        self.add_many(1);
    }

    pub(crate) fn add_many(&self, many: usize) {
        self.0.fetch_add(many as u64, Ordering::Relaxed);
    }

    pub(crate) fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counters {
    #[inline]
    pub(crate) fn near(&self) {
        let mine = stripe();
        let count = &self.near[mine].0;
        if mine < OWNED {
            // One writer: a locked addition would be a quarter of what a bare map takes for a hit.
            count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        } else {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts what happened, if that is counted, and tells it; the one place for both.
    pub(crate) fn happened(&self, what: What) {
        match what {
            What::Answered(outcome) => self.outcome(&outcome),
            What::Missed => self.missed.add(),
            What::Abandoned => self.abandoned.add(),
            What::Refused(Tier::Near) => self.refused.add(),
            What::Unfit(Tier::Near) => self.too_heavy.add(),
            What::RefreshFailed { .. } => self.failed_refreshes.add(),
            What::LongKey => self.long_keys.add(),
            What::Put => self.puts.add(),
            What::Invalidated => self.invalidations.add(),
            What::Cleared => self.clears.add(),
            What::Swept { entries } => self.swept.add_many(entries),
            _ => {}
        }
        self.teller.tell(what);
    }

    /// Counts a call that was given an error that is kept; the call itself counts as failed.
    pub(crate) fn kept_error(&self) {
        self.kept_errors.add();
    }

    /// Counts a load that is begun in the background.
    pub(crate) fn refresh(&self) {
        self.refreshes.add();
    }

    /// Tells a hit, which was counted by itself.
    #[cold]
    pub(crate) fn tell_hit(&self, outcome: Outcome) {
        self.teller.tell(What::Answered(outcome));
    }

    pub(crate) fn watch(&self, watched: bool) {
        self.teller.watch(watched);
    }

    fn outcome(&self, outcome: &Outcome) {
        let count = match outcome {
            Outcome::Near { .. } => return self.near(),
            Outcome::Far { .. } => &self.far,
            Outcome::Stale { .. } => &self.stale,
            Outcome::Joined => &self.joined,
            Outcome::Loaded {
                why: Why::Bypass, ..
            } => &self.bypassed,
            Outcome::Loaded { .. } | Outcome::Streamed => &self.loaded,
            Outcome::Failed { .. } => &self.failed,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn new(teller: Arc<Teller>) -> Self {
        Self {
            teller,
            near: Default::default(),
            far: AtomicU64::default(),
            stale: AtomicU64::default(),
            joined: AtomicU64::default(),
            loaded: AtomicU64::default(),
            bypassed: AtomicU64::default(),
            failed: AtomicU64::default(),
            missed: Count::default(),
            abandoned: Count::default(),
            refused: Count::default(),
            too_heavy: Count::default(),
            kept_errors: Count::default(),
            refreshes: Count::default(),
            failed_refreshes: Count::default(),
            long_keys: Count::default(),
            puts: Count::default(),
            invalidations: Count::default(),
            clears: Count::default(),
            swept: Count::default(),
        }
    }

    pub(crate) fn snapshot(&self, running: usize, entries: usize) -> Stats {
        let near = self.near.iter().map(|one| one.0.load(Ordering::Relaxed));
        Stats {
            near: near.sum(),
            far: self.far.load(Ordering::Relaxed),
            stale: self.stale.load(Ordering::Relaxed),
            joined: self.joined.load(Ordering::Relaxed),
            loaded: self.loaded.load(Ordering::Relaxed),
            bypassed: self.bypassed.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            missed: self.missed.value(),
            abandoned: self.abandoned.value(),
            refused: self.refused.value(),
            too_heavy: self.too_heavy.value(),
            kept_errors: self.kept_errors.value(),
            refreshes: self.refreshes.value(),
            failed_refreshes: self.failed_refreshes.value(),
            long_keys: self.long_keys.value(),
            puts: self.puts.value(),
            invalidations: self.invalidations.value(),
            clears: self.clears.value(),
            evicted: 0,
            swept: self.swept.value(),
            running,
            entries,
            far_tier: None,
        }
    }
}

/// The stripe of this thread. One of its own is never given to another, also when it has ended: so
/// no count is lost between two writers.
#[inline]
fn stripe() -> usize {
    thread_local! {
        static MINE: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    let mine = MINE.get();
    if mine != usize::MAX {
        return mine % STRIPES;
    }
    let mine = next_stripe();
    MINE.set(mine);
    mine
}

#[cold]
fn next_stripe() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    if next < OWNED {
        next
    } else {
        OWNED + next % (STRIPES - OWNED)
    }
}
