//! The old result, for the load that may keep it anew.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use larder_memory::Renewal;

/// An old result, given to the load that renews it: see
/// [`Cache::get_or_reload`](crate::Cache::get_or_reload).
pub struct Previous<V> {
    value: Option<Arc<V>>,
    renewal: Arc<Renewal>,
}

impl<V> Previous<V> {
    pub(crate) const fn new(value: Option<Arc<V>>, renewal: Arc<Renewal>) -> Self {
        Self { value, renewal }
    }

    /// The value; `None` is absence.
    #[must_use]
    pub const fn value(&self) -> Option<&Arc<V>> {
        self.value.as_ref()
    }

    /// What the load that gave it said that the source knows it by, if it said something.
    #[must_use]
    pub fn validator(&self) -> Option<&[u8]> {
        let validator = &*self.renewal.validator;
        (!validator.is_empty()).then_some(validator)
    }

    pub(crate) fn parts(self) -> (Option<Arc<V>>, Arc<Renewal>) {
        (self.value, self.renewal)
    }
}

// By hand: a derived one would ask for `V: Clone`.
impl<V> Clone for Previous<V> {
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            renewal: Arc::clone(&self.renewal),
        }
    }
}

/// Says whether there is a value, and never shows it.
impl<V> fmt::Debug for Previous<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Previous");
        out.field("value", &self.value.is_some());
        out.field("renewal", &self.renewal).finish()
    }
}

/// Where a load finds the old result: filled before its function runs.
///
/// Of any type of value, so that only calls that ask for it know of it.
#[derive(Clone)]
pub(crate) struct Hand(Arc<dyn Any + Send + Sync>);

type Held<V> = Mutex<Option<Previous<V>>>;

impl Hand {
    pub(crate) fn new<V: Send + Sync + 'static>() -> Self {
        Self(Arc::new(Held::<V>::default()))
    }

    pub(crate) fn give<V: Send + Sync + 'static>(&self, previous: Option<Previous<V>>) {
        if let Some(held) = self.0.downcast_ref::<Held<V>>() {
            *held.lock().unwrap_or_else(PoisonError::into_inner) = previous;
        }
    }

    pub(crate) fn take<V: Send + Sync + 'static>(&self) -> Option<Previous<V>> {
        let held = self.0.downcast_ref::<Held<V>>()?;
        held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hand")
    }
}
