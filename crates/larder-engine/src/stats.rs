//! What is counted.

mod counters;

pub(crate) use counters::{Count, Counters};

/// Counts of one cache since it was built, and two gauges.
///
/// # The counting contract
/// Each call of `get`, `get_or_load`, `fetch` or a function under `#[cacheable]` is counted once,
/// when it ends: as `near`, `far`, `stale`, `joined`, `loaded`, `bypassed` or `failed` by its outcome, as
/// `missed` if it was a `get` that found nothing, or as `abandoned` if it was dropped before it
/// ended. Of a call of several keys each key counts so, once. Changes are counted when they are
/// done. A snapshot is not taken at one instant: counts of calls that end meanwhile may be in or
/// out, each by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Calls answered by the near tier.
    pub near: u64,
    /// Calls answered by the far tier.
    pub far: u64,
    /// Calls answered by a value past its time, whatever the reason.
    pub stale: u64,
    /// Calls answered by the load of another caller.
    pub joined: u64,
    /// Calls answered by a load that they started.
    pub loaded: u64,
    /// Calls whose function ran past the cache, and gave an answer.
    pub bypassed: u64,
    /// Calls answered by an error.
    pub failed: u64,
    /// Of these, calls answered by an error that was kept.
    pub kept_errors: u64,
    /// Calls of `get` that found nothing.
    pub missed: u64,
    /// Calls that were dropped before they ended.
    pub abandoned: u64,
    /// Results of loads that were not stored, because an invalidation had come meanwhile.
    pub refused: u64,
    /// Results of loads that were not kept near, because they are heavier than the bound allows.
    pub too_heavy: u64,
    /// Loads begun in the background, for a value that was there.
    pub refreshes: u64,
    /// Of these, and of loads that a caller stopped waiting for, those that failed.
    pub failed_refreshes: u64,
    /// Results and puts that were not kept, because their key is longer than the cache keeps.
    pub long_keys: u64,
    /// Values put.
    pub puts: u64,
    /// Keys and tags invalidated.
    pub invalidations: u64,
    /// Times that the whole cache was cleared.
    pub clears: u64,
    /// Entries of the near tier that gave way to others.
    pub evicted: u64,
    /// Expired entries of the near tier that were dropped.
    pub swept: u64,
    /// Gauge: loads that run now.
    pub running: usize,
    /// Gauge: entries in the near tier now, expired ones that were not swept yet among them.
    pub entries: usize,
    /// The far tier's own counts, for a cache that has one.
    pub far_tier: Option<FarStats>,
}

impl Stats {
    /// The ends of calls by their names, each with its count. A call that has ended is in exactly
    /// one of them, so their sum is the number of such calls.
    #[must_use]
    pub const fn calls(&self) -> [(&'static str, u64); 9] {
        [
            ("near", self.near),
            ("far", self.far),
            ("stale", self.stale),
            ("joined", self.joined),
            ("loaded", self.loaded),
            ("bypassed", self.bypassed),
            ("failed", self.failed),
            ("missed", self.missed),
            ("abandoned", self.abandoned),
        ]
    }
}

impl Stats {
    /// What was counted since an earlier snapshot of the same cache; gauges are as they are now.
    ///
    /// There is no reset: it would take the counts from whoever else reads them.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let far = self.far_tier.zip(earlier.far_tier);
        Self {
            near: self.near.wrapping_sub(earlier.near),
            far: self.far.wrapping_sub(earlier.far),
            stale: self.stale.wrapping_sub(earlier.stale),
            joined: self.joined.wrapping_sub(earlier.joined),
            loaded: self.loaded.wrapping_sub(earlier.loaded),
            bypassed: self.bypassed.wrapping_sub(earlier.bypassed),
            failed: self.failed.wrapping_sub(earlier.failed),
            kept_errors: self.kept_errors.wrapping_sub(earlier.kept_errors),
            missed: self.missed.wrapping_sub(earlier.missed),
            abandoned: self.abandoned.wrapping_sub(earlier.abandoned),
            refused: self.refused.wrapping_sub(earlier.refused),
            too_heavy: self.too_heavy.wrapping_sub(earlier.too_heavy),
            refreshes: self.refreshes.wrapping_sub(earlier.refreshes),
            failed_refreshes: self.failed_refreshes.wrapping_sub(earlier.failed_refreshes),
            long_keys: self.long_keys.wrapping_sub(earlier.long_keys),
            puts: self.puts.wrapping_sub(earlier.puts),
            invalidations: self.invalidations.wrapping_sub(earlier.invalidations),
            clears: self.clears.wrapping_sub(earlier.clears),
            evicted: self.evicted.wrapping_sub(earlier.evicted),
            swept: self.swept.wrapping_sub(earlier.swept),
            far_tier: far.map(|(now, earlier)| now.since(&earlier)),
            ..*self
        }
    }
}

impl FarStats {
    fn since(&self, earlier: &Self) -> Self {
        Self {
            failures: self.failures.wrapping_sub(earlier.failures),
            refused: self.refused.wrapping_sub(earlier.refused),
            undecodable: self.undecodable.wrapping_sub(earlier.undecodable),
            unfit: self.unfit.wrapping_sub(earlier.unfit),
            queued: self.queued.wrapping_sub(earlier.queued),
            waited: self.waited.wrapping_sub(earlier.waited),
            lapsed: self.lapsed.wrapping_sub(earlier.lapsed),
            requeued: self.requeued.wrapping_sub(earlier.requeued),
            ..*self
        }
    }
}

/// Counts of one cache's far tier since it was built, and two gauges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FarStats {
    /// Operations that failed, or were not answered in time.
    pub failures: u64,
    /// Results that the store refused, because an invalidation had come meanwhile.
    pub refused: u64,
    /// Frames that were no value of their key, whatever the reason.
    pub undecodable: u64,
    /// Values that were returned and not stored: over the size limit, or not encodable.
    pub unfit: u64,
    /// Invalidations that had to be queued.
    pub queued: u64,
    /// Loads that waited for another node's load of their key, or of one of their keys.
    pub waited: u64,
    /// Of these, those for which the lease was over first, so that they loaded themselves.
    pub lapsed: u64,
    /// Of the queued, those that had been acknowledged before, and were sent again after a reconnect.
    pub requeued: u64,
    /// Gauge: invalidations that wait for the store's answer now.
    pub pending: usize,
    /// Gauge: whether the store is left alone now, because it does not answer.
    pub down: bool,
}
