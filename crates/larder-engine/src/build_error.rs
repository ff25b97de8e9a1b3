//! Why a cache or a larder could not be built.

use std::fmt;

/// Why a cache or a larder could not be built: which setting of which cache, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    cache: Option<String>,
    setting: &'static str,
    reason: String,
}

impl BuildError {
    pub(crate) fn new(setting: &'static str, reason: impl Into<String>) -> Self {
        Self {
            cache: None,
            setting,
            reason: reason.into(),
        }
    }

    pub(crate) fn of(mut self, cache: &str) -> Self {
        self.cache = Some(cache.to_owned());
        self
    }

    /// The name of the setting, as its setter is called.
    #[must_use]
    pub const fn setting(&self) -> &'static str {
        self.setting
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cache {
            Some(cache) => write!(f, "cache `{cache}`: ")?,
            None => f.write_str("larder: ")?,
        }
        write!(f, "`{}` {}", self.setting, self.reason)
    }
}

impl std::error::Error for BuildError {}
