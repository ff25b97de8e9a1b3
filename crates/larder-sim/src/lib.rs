//! The simulator of larder: several nodes with the real engine, a far store and a network that
//! fail on purpose, in virtual time, from one seed.
//!
//! # Nouns
//! - [`run`]: a run from a seed, checked against the promises.
//! - [`Profile`]: what a run is about.
//! - [`Violation`]: the promise that a run broke, and how to see it again.
//! - [`server`]: a model of Redis as far as larder uses it.
//! - [`network`]: what lies between the nodes and the server, and what it does wrong.
//! - [`Trace`]: what happened in a run, line by line.
//!
//! # What it is not
//! No part of a running program, and no copy of the engine: what runs here is the crate that users
//! get. Nothing here sleeps or looks at the machine's clock.

mod far;
mod history;
pub mod network;
mod node;
mod plan;
mod process;
mod profile;
pub mod server;
mod shrink;
mod sweep;
mod trace;
mod value;
mod violation;
mod world;

use std::collections::BTreeMap;
use std::time::Duration;

pub use profile::Profile;
pub use shrink::{Shrunk, shrink};
pub use sweep::{Found, sweep};
pub use trace::Trace;
pub use violation::{Rule, Violation};

use plan::Plan;

/// What runs that broke nothing did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How many calls ended.
    pub calls: u64,
    /// How often each outcome was met, by its name; `none` for what has none.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// How long they took, in virtual time.
    pub took: Duration,
}

impl Summary {
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.took += other.took;
        for (name, count) in &other.outcomes {
            *self.outcomes.entry(name).or_default() += count;
        }
    }
}

/// Runs the run of a seed in a profile: the same seed is the same run.
///
/// A run is a thread's own, so that several may go side by side.
///
/// # Errors
/// What it broke first.
pub fn run(seed: u64, profile: Profile) -> Result<Summary, Violation> {
    world::run(&Plan::draw(seed, profile), false).result
}

/// What happens in the run of a seed, line by line, to what it breaks or to its end.
#[must_use]
pub fn trace(seed: u64, profile: Profile) -> Vec<String> {
    world::run(&Plan::draw(seed, profile), true).lines
}
