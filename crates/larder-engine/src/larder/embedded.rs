//! The larder of caches that name none.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::Larder;
use crate::build_error::BuildError;

static EMBEDDED: Mutex<Option<Larder>> = Mutex::new(None);

impl Larder {
    /// Makes this the larder of caches that name none: those of [`Cache::builder`] and of
    /// attributes without a cache. For a program's `main`, once, before the first such cache is
    /// built; libraries never call it.
    ///
    /// [`Cache::builder`]: crate::Cache::builder
    ///
    /// # Errors
    /// One is installed, or the default was used already.
    pub fn install(self) -> Result<(), AlreadyInstalled> {
        let mut embedded = EMBEDDED.lock().unwrap_or_else(PoisonError::into_inner);
        if embedded.is_some() {
            return Err(AlreadyInstalled(()));
        }
        *embedded = Some(self);
        Ok(())
    }

    /// The larder of caches that name none: the installed one, or else, from the first use on, a
    /// default.
    ///
    /// # Errors
    /// None is installed, and there is no default because the feature `smol` is off.
    pub fn embedded() -> Result<Self, BuildError> {
        let mut embedded = EMBEDDED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(larder) = &*embedded {
            return Ok(larder.clone());
        }
        let larder = Self::builder().build()?;
        *embedded = Some(larder.clone());
        Ok(larder)
    }
}

/// The larder of caches that name none is chosen already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlreadyInstalled(());

impl fmt::Display for AlreadyInstalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a larder is installed already, or a cache was built on the default")
    }
}

impl std::error::Error for AlreadyInstalled {}
