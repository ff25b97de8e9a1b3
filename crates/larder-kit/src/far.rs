//! Far tiers for tests.

mod able;
mod around;
mod call;
mod failing;
mod slow;
mod wild;

pub use able::Able;
pub use call::{FarCall, FarOperation};
pub use failing::{FailingFar, Fault};
pub use slow::SlowFar;
pub use wild::WildBus;
