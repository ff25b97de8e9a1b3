//! The adapter over a wire that answers what a test tells it to.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ears;
mod golden;
mod hostile;
mod replicas;
mod slots;
mod told;
mod writers;

use std::sync::Arc;

use larder_core::far::Space;
use larder_kit::Virtual;
use larder_redis::Redis;

use told::Told;

fn deals() -> Space {
    Space::new("deals".into(), 1, 7)
}

fn over(wire: &Arc<Told>) -> Redis {
    Redis::over(wire.clone(), Virtual::new().runtime(), "larder")
}
