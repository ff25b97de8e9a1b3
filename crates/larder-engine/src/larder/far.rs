//! The far store that caches share.

use std::sync::Arc;
use std::time::Duration;

use larder_core::far::{Abilities, Bus, Guarded};
use larder_core::{Runtime, Store, Ttl};

use super::LarderBuilder;
use crate::build_error::BuildError;

/// The far store of a larder, and how its caches keep up with other nodes.
pub(crate) struct FarShare {
    pub(crate) store: Arc<dyn Guarded>,
    pub(crate) bus: Option<Arc<dyn Bus>>,
    /// This larder among the nodes.
    pub(crate) node: u64,
    pub(crate) heartbeat: Duration,
    pub(crate) blind: Duration,
}

#[derive(Debug)]
pub(super) struct FarSettings {
    abilities: Option<Abilities>,
    heartbeat: Duration,
    blind: Duration,
}

impl Default for FarSettings {
    fn default() -> Self {
        Self {
            abilities: None,
            heartbeat: Duration::from_secs(1),
            blind: Duration::from_secs(5),
        }
    }
}

impl FarSettings {
    pub(super) fn build(self, runtime: &dyn Runtime) -> Result<Option<FarShare>, BuildError> {
        let heartbeat = checked("heartbeat", self.heartbeat)?;
        let blind = checked("blind_ttl", self.blind)?;
        let Some(abilities) = self.abilities else {
            return Ok(None);
        };
        let missing = "is given a store that cannot guard: it has no `Guarded` among its abilities";
        let store = abilities
            .guarded
            .ok_or_else(|| BuildError::new("far", missing))?;
        Ok(Some(FarShare {
            store,
            bus: abilities.bus,
            node: runtime.random(),
            heartbeat,
            blind,
        }))
    }
}

fn checked(setting: &'static str, duration: Duration) -> Result<Duration, BuildError> {
    let ttl = Ttl::new(duration).map_err(|error| BuildError::new(setting, error.to_string()))?;
    Ok(ttl.duration())
}

impl LarderBuilder {
    /// The far tier of the caches that ask for one (see
    /// [`CacheBuilder::far`](crate::CacheBuilder::far)): a store that is
    /// [`Guarded`](larder_core::far::Guarded), and also the
    /// [`Bus`](larder_core::far::Bus) between nodes if it can be.
    ///
    /// Without a bus a node never hears of the others: it uses what it holds near no longer than
    /// [`blind_ttl`](Self::blind_ttl) after its load began.
    pub fn far(mut self, store: impl Store) -> Self {
        self.far.abilities = Some(Arc::new(store).abilities());
        self
    }

    /// How often each cache with a far tier asks for the number of its last message; 1 s unless
    /// set. A lost message is noticed after two.
    pub fn heartbeat(mut self, every: Duration) -> Self {
        self.far.heartbeat = every;
        self
    }

    /// How long a node uses what it holds near, and joins running loads, after the last good
    /// heartbeat; 5 s unless set. It bounds how long a node that was cut off, or paused, can serve
    /// what other nodes have invalidated.
    pub fn blind_ttl(mut self, ttl: Duration) -> Self {
        self.far.blind = ttl;
        self
    }
}
