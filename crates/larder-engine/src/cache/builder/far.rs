//! The far tier of a cache to be built.

use std::sync::Arc;
use std::time::Duration;

use larder_core::far::Space;
use larder_core::{Key, Ttl};
use larder_flight::{Limit, Stamps};

use super::CacheBuilder;
use super::wrapping::Wrapping;
use crate::build_error::BuildError;
use crate::cache::Inner;
use crate::events::Teller;
use crate::far::{Breaker, Coding, FarCounts, FarTier, Link, Pulse, Sight, listen};
use crate::larder::{FarShare, Larder};
use crate::lifetime::Times;

/// Makes the coding when the cache is built.
type MakeCoding<V> = Box<dyn FnOnce(Making) -> Result<Arc<dyn Coding<V>>, BuildError> + Send>;

/// What a coding is made of.
pub(super) struct Making {
    pub(super) cache: Arc<str>,
    pub(super) largest: usize,
    pub(super) schema: Option<Said>,
    pub(super) wrapping: Wrapping,
}

/// The values' shape, where it is not to be traced.
pub(super) enum Said {
    Number(u64),
    #[cfg(feature = "codec")]
    Shape(String),
}

/// What was asked for.
pub(super) struct FarWish<V> {
    coding: Option<MakeCoding<V>>,
    /// The setting that asked for no near tier.
    alone: Option<&'static str>,
    deadline: Duration,
    largest: usize,
    schema: Option<Said>,
    pub(super) wrapping: Wrapping,
    raises: bool,
    queue: usize,
}

impl<V> Default for FarWish<V> {
    fn default() -> Self {
        Self {
            coding: None,
            alone: None,
            deadline: Duration::from_millis(250),
            largest: 1 << 20,
            schema: None,
            wrapping: Wrapping::default(),
            raises: false,
            queue: 1024,
        }
    }
}

/// What came of it.
pub(super) struct FarParts<V> {
    pub(super) tier: Arc<FarTier<V>>,
    pub(super) sight: Arc<Sight>,
    pub(super) link: Option<Arc<Link>>,
    pub(super) near: bool,
}

impl<V> FarWish<V> {
    pub(super) fn build(
        self,
        larder: &Larder,
        teller: &Arc<Teller>,
        times: &Times,
        stamps: &Arc<Stamps>,
    ) -> Result<Option<FarParts<V>>, BuildError> {
        let deadline = Ttl::new(self.deadline)
            .map_err(|error| BuildError::new("far_deadline", error.to_string()))?;
        for (setting, value) in [("max_frame", self.largest), ("queue", self.queue)] {
            if value == 0 {
                return Err(BuildError::new(setting, "must not be zero"));
            }
        }
        let Some(coding) = self.coding else {
            let needs = "says nothing without a far tier: add `far`, `far_only` or `codec`";
            let unused = self.wrapping.made().or(self.alone);
            return unused.map_or(Ok(None), |setting| Err(BuildError::new(setting, needs)));
        };
        let name = teller.cache();
        let Some(share) = larder.far() else {
            let missing = "needs a larder with a far store";
            let alone = self.alone.map(|setting| BuildError::new(setting, missing));
            return alone.map_or(Ok(None), Err);
        };
        let coding = coding(Making {
            cache: Arc::clone(name),
            largest: self.largest,
            schema: self.schema,
            wrapping: self.wrapping,
        })?;
        let runtime = Arc::clone(larder.runtime());
        // Of the cache, not of the larder: what the queue of a dropped cache still sends must raise
        // the next one of its name.
        let node = runtime.random();
        let space = Space::new(Arc::clone(name), node, coding.schema())
            .lives(times.deadline, barrier_life(times)?);
        let sight = Arc::new(Sight::new(share.blind));
        let link = Link::new(node, Arc::clone(stamps), Arc::clone(&sight));
        let queue = share.queue(name, self.queue);
        queue.join(stamps);
        let tier = FarTier {
            store: Arc::clone(&share.store),
            space,
            coding,
            clock: runtime.clock(),
            runtime,
            deadline: deadline.duration(),
            max_age: times.max_age,
            raises: self.raises,
            counts: FarCounts::default(),
            teller: Arc::clone(teller),
            breaker: Breaker::default(),
            queue,
            changes: Arc::new(Limit::new(usize::MAX)),
        };
        Ok(Some(FarParts {
            tier: Arc::new(tier),
            sight,
            link: share.bus.as_ref().map(|_| Arc::new(link)),
            near: self.alone.is_none(),
        }))
    }
}

/// Three times the longest life of an entry, so that a barrier that expires in spite of being
/// renewed kills what is under it, and never revives.
fn barrier_life(times: &Times) -> Result<Duration, BuildError> {
    let endless = "must be set: a far tier keeps nothing without an end";
    let ttl = times.value.finite();
    let ttl = ttl.ok_or_else(|| BuildError::new("ttl", endless))?;
    let life = ttl.saturating_add(times.stale);
    let life = life.saturating_add(times.deadline).saturating_mul(3);
    Ok(life.min(Ttl::MAX.duration()))
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Listens to the other nodes, if there is a bus.
    pub(super) fn listen(&self, larder: &Larder) {
        let (Some(far), Some(link), Some(share)) = (&self.far, &self.link, larder.far()) else {
            return;
        };
        if let Some(pulse) = pulse(share, far) {
            listen(pulse, far.space.clone(), link);
        }
    }
}

fn pulse<V>(share: &FarShare, far: &FarTier<V>) -> Option<Pulse> {
    Some(Pulse {
        bus: Arc::clone(share.bus.as_ref()?),
        runtime: Arc::clone(&far.runtime),
        clock: far.clock.clone(),
        every: share.heartbeat,
        deadline: far.deadline,
        teller: Arc::clone(&far.teller),
    })
}

impl<K: Key, V: Send + Sync + 'static> CacheBuilder<K, V> {
    #[cfg(feature = "codec")]
    pub(super) fn said(mut self, shape: String) -> Self {
        self.far.schema = Some(Said::Shape(shape));
        self
    }

    #[cfg(feature = "codec")]
    pub(super) fn far_unless(mut self, coding: MakeCoding<V>, alone: Option<&'static str>) -> Self {
        self.far.coding.get_or_insert(coding);
        self.far.alone = alone;
        self
    }

    #[cfg(feature = "codec")]
    pub(super) fn far_by(mut self, coding: MakeCoding<V>) -> Self {
        self.far.coding = Some(coding);
        self
    }

    #[cfg(feature = "codec")]
    pub(super) fn far_alone(mut self, setting: &'static str) -> Self {
        self.far.alone = Some(setting);
        self
    }

    /// How long an operation of the far tier may take in all; 250 ms unless set. What takes longer
    /// is as if the store were not there: reads load, changes are queued.
    pub fn far_deadline(mut self, deadline: Duration) -> Self {
        self.far.deadline = deadline;
        self
    }

    /// The largest value that is stored far, in bytes of its frame; 1 MiB unless set. A larger one
    /// is returned, counted, and not stored there.
    pub fn max_frame(mut self, bytes: usize) -> Self {
        self.far.largest = bytes;
        self
    }

    /// Numbers the shape of the values, in the place of tracing it: for types that tracing cannot
    /// follow to their end. The number has to change whenever the type does; nobody else notices.
    pub fn schema(mut self, number: u64) -> Self {
        self.far.schema = Some(Said::Number(number));
        self
    }

    /// Whether a call fails, with [`LoadErrorKind::Far`](larder_core::LoadErrorKind::Far), where the
    /// far tier cannot be read. Unless set it is served by a load.
    pub fn raise_far_errors(mut self, raise: bool) -> Self {
        self.far.raises = raise;
        self
    }

    /// How many unacknowledged invalidations are remembered one by one; 1,024 unless set. One more
    /// makes them all one clear.
    pub fn queue(mut self, most: usize) -> Self {
        self.far.queue = most;
        self
    }
}
