//! An answer without its `Result`, and what was said of it.

use std::sync::Arc;

use larder_core::LoadError;

use crate::terms::After;

/// An answer without its `Result`, and what was said of it.
#[derive(Debug)]
pub struct Told<V> {
    /// What the cache keeps; nothing if the old holds still.
    pub(crate) value: Option<Option<Arc<V>>>,
    pub(crate) after: After,
    pub(crate) validator: Option<Box<[u8]>>,
}

impl<V> Told<V> {
    pub(crate) fn of(value: Option<Arc<V>>) -> Self {
        Self {
            value: Some(value),
            after: After::default(),
            validator: None,
        }
    }

    /// With what was said of it elsewhere, which this precedes.
    pub(crate) fn under(mut self, after: After) -> Self {
        self.after = self.after.over(after);
        self
    }

    /// The value, where there is no old one.
    pub(crate) fn bare(self) -> Result<Option<Arc<V>>, LoadError> {
        let none = "the load says that the value has not changed, and there is none";
        self.value.ok_or_else(|| LoadError::source(none))
    }
}
