//! The far store that caches share.

use std::sync::Arc;
use std::time::Duration;

use larder_core::far::{Abilities, Bus, Guarded};
use larder_core::{AnyStore, Runtime, Store, Ttl};

use super::LarderBuilder;
use crate::build_error::BuildError;
use crate::far::Unguarded;

/// The far store of a larder, and how its caches keep up with other nodes.
pub(crate) struct FarShare {
    pub(crate) store: Arc<dyn Guarded>,
    pub(crate) bus: Option<Arc<dyn Bus>>,
    pub(crate) heartbeat: Duration,
    pub(crate) blind: Duration,
}

#[derive(Debug)]
pub(super) struct FarSettings {
    store: Option<FarStore>,
    heartbeat: Duration,
    blind: Duration,
}

#[derive(Debug)]
enum FarStore {
    Able(Abilities),
    Plain(AnyStore),
}

impl Default for FarSettings {
    fn default() -> Self {
        Self {
            store: None,
            heartbeat: Duration::from_secs(1),
            blind: Duration::from_secs(5),
        }
    }
}

impl FarSettings {
    pub(super) fn build(self, runtime: &Arc<dyn Runtime>) -> Result<Option<FarShare>, BuildError> {
        let heartbeat = checked("heartbeat", self.heartbeat)?;
        let blind = checked("blind_ttl", self.blind)?;
        let Some(store) = self.store else {
            return Ok(None);
        };
        let abilities = store.abilities(runtime);
        let missing = "is given a store that cannot guard: it has no `Guarded` among its \
                       abilities (`far_unguarded` takes it, and promises less)";
        let store = abilities
            .guarded
            .ok_or_else(|| BuildError::new("far", missing))?;
        Ok(Some(FarShare {
            store,
            bus: abilities.bus,
            heartbeat,
            blind,
        }))
    }
}

impl FarStore {
    fn abilities(self, runtime: &Arc<dyn Runtime>) -> Abilities {
        match self {
            Self::Able(abilities) => abilities,
            Self::Plain(store) => {
                let unguarded = Unguarded::new(store, Arc::clone(runtime));
                Abilities::default().guarded(&Arc::new(unguarded))
            }
        }
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
    /// [`blind_ttl`](Self::blind_ttl) after its load began. For a store that cannot guard there is
    /// [`far_unguarded`](Self::far_unguarded).
    pub fn far(mut self, store: impl Store) -> Self {
        self.far.store = Some(FarStore::Able(Arc::new(store).abilities()));
        self
    }

    /// The far tier over a plain store that cannot guard: see [`Unguarded`]. In the place of
    /// [`far`](Self::far).
    ///
    /// No value is invented or taken for another's, and what the store loses is lost. But compare and
    /// put are two commands there, and no node hears of another. So of the promises these are
    /// weaker:
    ///
    /// - **After an invalidation has returned, no older value is served.** Not if it lands between
    ///   the compare and the put of a load that ends at the same time, on this node or another: that
    ///   put undoes it. All nodes then read the old value until its ttl is over, or until the key,
    ///   its tag or the cache is invalidated again. The window is a round trip, and as long as a
    ///   command is under way that was given up at its deadline. A tag or a clear is undone in the
    ///   same way by a store that prolongs its barrier; that happens once in about one and a half
    ///   ttls, and revives all values under the barrier, each until its own ttl is over.
    /// - **A put is undone by no older load or put.** The same window.
    /// - **Other nodes see an invalidation once its message arrives.** There are no messages: what
    ///   they hold near they use for up to [`blind_ttl`](Self::blind_ttl) after its load began. The
    ///   same goes for this node: after that time a near value is not used, and the store is asked.
    /// - **A fallback kept by an expire ends with its ttl.** It ends later by the time that the
    ///   store took to answer, and so does a value beside which another version of the program
    ///   stores its own.
    ///
    /// All else holds, also for tags that a load learns only from its value, and for barriers that
    /// are lost: those kill and never revive.
    ///
    /// It is for values that may be old for a ttl once in a long while, such as copies of what
    /// changes by itself, and for a store that one process alone uses and that has nothing better. It
    /// is not for prices, permissions or personal data that must be gone when they are deleted.
    ///
    /// Nobody else may write under the caches' names in the store.
    ///
    /// ```
    /// # fn build(files: impl larder_core::Store) -> Result<(), larder_engine::BuildError> {
    /// use larder_engine::Larder;
    /// let larder = Larder::builder().far_unguarded(files).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn far_unguarded(mut self, store: impl Store) -> Self {
        self.far.store = Some(FarStore::Plain(AnyStore::new(store)));
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
