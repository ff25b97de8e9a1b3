//! What a store must be able to do to be a far tier: abilities beside [`Store`](crate::Store).
//!
//! The traits are object-safe as they stand, with boxed futures: a far operation crosses a network,
//! so one box is not what it costs, and a twin of each trait would be.

mod bus;
mod error;
mod guarded;
mod space;
mod sweep;

use std::fmt;
use std::sync::Arc;

pub use bus::{Bus, Change, Message, Sink};
pub use error::{Certainty, FarError};
pub use guarded::{Barrier, FarFound, FarTicket, Guarded, Missing, Part, Put, Read, Stored, Want};
pub use space::Space;
pub use sweep::Sweep;

/// What a store can do beside keeping bytes. Asked once, when a cache or a larder is built: a
/// setting that needs an ability that is missing is a build error, so no operation ever says "not
/// supported".
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Abilities {
    /// It keeps values so that an invalidated one never comes back.
    pub guarded: Option<Arc<dyn Guarded>>,
    /// It tells other nodes of changes.
    pub bus: Option<Arc<dyn Bus>>,
    /// It removes what a cache holds in small batches.
    pub sweep: Option<Arc<dyn Sweep>>,
}

impl Abilities {
    /// Adds the ability to guard.
    #[must_use]
    pub fn guarded(mut self, store: &Arc<impl Guarded>) -> Self {
        self.guarded = Some(Arc::clone(store) as Arc<dyn Guarded>);
        self
    }

    /// Adds the ability to tell other nodes.
    #[must_use]
    pub fn bus(mut self, store: &Arc<impl Bus>) -> Self {
        self.bus = Some(Arc::clone(store) as Arc<dyn Bus>);
        self
    }

    /// Adds the ability to sweep.
    #[must_use]
    pub fn sweep(mut self, store: &Arc<impl Sweep>) -> Self {
        self.sweep = Some(Arc::clone(store) as Arc<dyn Sweep>);
        self
    }
}

impl fmt::Debug for Abilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Abilities")
            .field("guarded", &self.guarded.is_some())
            .field("bus", &self.bus.is_some())
            .field("sweep", &self.sweep.is_some())
            .finish()
    }
}
