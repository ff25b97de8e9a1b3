//! The error of what fails on purpose.

use std::fmt;

/// The error of what fails on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KitError(String);

impl KitError {
    /// An error with this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for KitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for KitError {}
