//! Statistics as metrics.

use std::sync::Arc;

use metrics::{Label, SharedString, counter, gauge};

use crate::larder::Larder;
use crate::stats::{FarStats, Stats};

impl Larder {
    /// Gives the [statistics](Self::stats) of every cache to the recorder of the `metrics` crate.
    ///
    /// Call it before the metrics are read: where they are scraped, or every few seconds. Counting
    /// costs a call nothing that way, and a recorder that is installed late misses nothing. Load
    /// times are given as they come, as `larder_load_seconds`.
    ///
    /// Costs some ten look-ups in the recorder a cache. Without a recorder it does nothing.
    ///
    /// ```
    /// # use larder_engine::{BuildError, Larder};
    /// # fn scraped() -> Result<(), BuildError> {
    /// let larder = Larder::embedded()?;
    /// // In the handler of `/metrics`, before the recorder is asked for its text:
    /// larder.record_metrics();
    /// # Ok(())
    /// # }
    /// ```
    pub fn record_metrics(&self) {
        for (name, stats) in self.stats() {
            Meter(name).record(&stats);
        }
    }
}

/// The metrics of one cache.
struct Meter(Arc<str>);

impl Meter {
    fn record(&self, stats: &Stats) {
        for (end, count) in stats.calls() {
            let labels = self.with("outcome", end);
            counter!("larder_calls_total", labels).absolute(count);
        }
        for (change, count) in [
            ("put", stats.puts),
            ("invalidate", stats.invalidations),
            ("clear", stats.clears),
        ] {
            let labels = self.with("change", change);
            counter!("larder_changes_total", labels).absolute(count);
        }
        counter!("larder_refreshes_total", self.labels()).absolute(stats.refreshes);
        counter!("larder_failed_refreshes_total", self.labels()).absolute(stats.failed_refreshes);
        counter!("larder_evicted_total", self.labels()).absolute(stats.evicted);
        counter!("larder_swept_total", self.labels()).absolute(stats.swept);
        counter!("larder_long_keys_total", self.labels()).absolute(stats.long_keys);
        let near = || self.with("tier", "near");
        counter!("larder_refused_total", near()).absolute(stats.refused);
        counter!("larder_unfit_total", near()).absolute(stats.too_heavy);
        gauge!("larder_loads_running", self.labels()).set(stats.running as f64);
        gauge!("larder_entries", self.labels()).set(stats.entries as f64);
        if let Some(far) = &stats.far_tier {
            self.record_far(far);
        }
    }

    fn record_far(&self, stats: &FarStats) {
        let far = || self.with("tier", "far");
        counter!("larder_refused_total", far()).absolute(stats.refused);
        counter!("larder_unfit_total", far()).absolute(stats.unfit);
        counter!("larder_far_failures_total", self.labels()).absolute(stats.failures);
        counter!("larder_far_undecodable_total", self.labels()).absolute(stats.undecodable);
        counter!("larder_far_queued_total", self.labels()).absolute(stats.queued);
        counter!("larder_far_waited_total", self.labels()).absolute(stats.waited);
        counter!("larder_far_lapsed_total", self.labels()).absolute(stats.lapsed);
        counter!("larder_far_requeued_total", self.labels()).absolute(stats.requeued);
        gauge!("larder_far_pending", self.labels()).set(stats.pending as f64);
        gauge!("larder_far_down", self.labels()).set(f64::from(u8::from(stats.down)));
    }

    fn labels(&self) -> Vec<Label> {
        let name = SharedString::from(self.0.to_string());
        vec![Label::new("cache", name)]
    }

    fn with(&self, label: &'static str, value: &'static str) -> Vec<Label> {
        let mut labels = self.labels();
        labels.push(Label::new(label, value));
        labels
    }
}
