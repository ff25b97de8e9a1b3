//! The test kit of larder: virtual time, gates, scripted loaders, faulty stores and the contract
//! that every store keeps.
//!
//! # Nouns
//! - [`Virtual`]: a `Runtime` whose time stands still until a test moves it; its tasks run in one
//!   order, inside the calls that drive it.
//! - [`Gate`]: where futures wait until a test lets them through.
//! - [`Loader`]: a source that counts its calls and plays a script of [`Step`]s.
//! - [`MapStore`]: the reference store; [`FailingStore`] and [`SlowStore`] wrap any store.
//! - [`FailingFar`], [`SlowFar`] and [`WildBus`] wrap the abilities of any far tier; [`Able`] is a
//!   store that shows what was put together of them.
//! - [`contract`]: what every store and every far tier must keep, as checks that any store crate can
//!   run.
//!
//! # What it is not
//! No part of a running program: it is for tests, takes locks without a second thought and panics
//! where a test should fail. Nothing here sleeps or looks at the machine's clock.

pub mod contract;

mod error;
mod far;
mod gate;
#[cfg(larder_shuttle)]
mod interleaved;
mod loader;
mod runtime;
mod store;

pub use error::KitError;
pub use far::{Able, FailingFar, FarCall, FarOperation, Fault, SlowFar, WildBus};
pub use gate::Gate;
#[cfg(larder_shuttle)]
pub use interleaved::Interleaved;
pub use loader::{Loader, Step};
pub use runtime::{Outside, Spawned, Virtual};
pub use store::{FailingError, FailingStore, MapStore, Operation, SlowStore};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; a panic elsewhere fails its own test and no other.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
