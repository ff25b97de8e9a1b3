//! A figure of the articles that the project began with, beside ours.

use serde::{Deserialize, Serialize};

/// What one of the three articles measured, and what we did.
///
/// Theirs was another machine: what can be compared is the shape, such as the ratio of two servers
/// in the same article.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Seed {
    /// What was measured: "30 users, async over blocking".
    pub what: String,
    /// "ms", "requests a second", "×".
    pub unit: String,
    /// Theirs.
    pub seed: f64,
    /// Ours.
    pub ours: f64,
}

impl Seed {
    /// The two figures beside each other.
    pub fn new(what: impl Into<String>, unit: impl Into<String>, seed: f64, ours: f64) -> Self {
        Self {
            what: what.into(),
            unit: unit.into(),
            seed,
            ours,
        }
    }
}
