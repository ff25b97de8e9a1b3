//! The test kit of larder: virtual time, gates, scripted loaders, faulty stores and the contract
//! that every store keeps.
//!
//! # Nouns
//! - [`Virtual`]: a `Runtime` whose time stands still until a test moves it; its tasks run in one
//!   order, inside the calls that drive it.
//! - [`Gate`]: where futures wait until a test lets them through.
//!
//! # What it is not
//! No part of a running program: it is for tests, takes locks without a second thought and panics
//! where a test should fail. Nothing here sleeps or looks at the machine's clock.

mod gate;
mod runtime;

pub use gate::Gate;
pub use runtime::{Outside, Spawned, Virtual};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; a panic elsewhere fails its own test and no other.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
