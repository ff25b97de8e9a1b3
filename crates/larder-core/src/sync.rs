//! The locks and atomics at which threads of one cache meet.
//!
//! Those of the standard library; in a build with `--cfg larder_shuttle` those of a model checker, so
//! that it is the real code whose interleavings are tried.

#[cfg(larder_shuttle)]
pub use checked::OnceLock;
#[cfg(larder_shuttle)]
pub use shuttle::{
    sync::{Mutex, MutexGuard, atomic},
    thread_local,
};
#[cfg(not(larder_shuttle))]
pub use std::{
    sync::{Mutex, MutexGuard, OnceLock, atomic},
    thread_local,
};

#[cfg(larder_shuttle)]
mod checked {
    use shuttle::sync::Mutex;

    /// The standard library's, and every use is a point at which another thread may go on.
    #[derive(Debug, Default)]
    pub struct OnceLock<T> {
        cell: std::sync::OnceLock<T>,
        point: Mutex<()>,
    }

    impl<T> OnceLock<T> {
        /// An empty one.
        #[must_use]
        pub const fn new() -> Self {
            Self {
                cell: std::sync::OnceLock::new(),
                point: Mutex::new(()),
            }
        }

        /// What it holds.
        pub fn get(&self) -> Option<&T> {
            let value = self.cell.get();
            drop(self.point.lock());
            value
        }

        /// Fills it.
        ///
        /// # Errors
        /// The value, if it is full.
        pub fn set(&self, value: T) -> Result<(), T> {
            drop(self.point.lock());
            self.cell.set(value)
        }
    }
}
