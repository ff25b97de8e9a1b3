//! Stores for tests.

mod failing;
mod map;
mod slow;

pub use failing::{FailingError, FailingStore, Operation};
pub use map::MapStore;
pub use slow::SlowStore;
