//! What is known of a cluster, shared by all that goes to it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::map::SlotMap;
use super::place::Place;

/// The map of the moment.
#[derive(Default)]
pub(super) struct Known(Mutex<Arc<SlotMap>>);

impl Known {
    pub(super) fn map(&self) -> Arc<SlotMap> {
        Arc::clone(&self.lock())
    }

    pub(super) fn set(&self, map: SlotMap) {
        *self.lock() = Arc::new(map);
    }

    /// Notes that slots are others'.
    pub(super) fn moved(&self, slots: &[(usize, Place)]) {
        let mut map = self.lock();
        let map = Arc::make_mut(&mut map);
        for (slot, to) in slots {
            map.moved(*slot, to.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arc<SlotMap>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
