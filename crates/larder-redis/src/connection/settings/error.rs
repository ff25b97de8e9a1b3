//! A setting that is wrong.

use std::error::Error;
use std::fmt;

/// A setting of a connection is wrong: which, and what to write instead. It shows no value of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingError {
    setting: &'static str,
    instead: &'static str,
}

impl SettingError {
    pub(crate) const fn new(setting: &'static str, instead: &'static str) -> Self {
        Self { setting, instead }
    }

    /// The setting's name.
    #[must_use]
    pub const fn setting(&self) -> &'static str {
        self.setting
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { setting, instead } = self;
        write!(f, "the connection's setting `{setting}`: {instead}")
    }
}

impl Error for SettingError {}
