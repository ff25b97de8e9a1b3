//! How far a cache is used.

use larder_core::Key;

use super::Cache;
use crate::event::What;
use crate::mode::Mode;

impl<K: Key, V: Send + Sync + 'static> Cache<K, V> {
    /// Sets how far the cache is used, from now on; see [`Mode`] for what that means for calls.
    ///
    /// What is held stays, is invalidated as ever, and is used again when the cache looks again.
    /// Loads that run go on for those who wait; whether their result is kept is decided at their
    /// end. Costs a hit nothing: it reads one byte in any case.
    ///
    /// ```
    /// # use larder_engine::{Cache, Larder, Mode};
    /// # smol::block_on(async {
    /// let deals: Cache<u64, u64> = Larder::builder().build()?.cache("deals").build()?;
    /// deals.switch(Mode::Off);
    /// deals.get_or_load(&5, || async { 1 }).await?;
    /// assert_eq!(deals.stats().entries, 0);
    /// deals.switch(Mode::On);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn switch(&self, mode: Mode) {
        self.0.switch.set(mode);
        self.0.counters.happened(What::Switched(mode));
    }

    /// How far the cache is used, by its own switch and its larder's.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.0.switch.mode()
    }
}
