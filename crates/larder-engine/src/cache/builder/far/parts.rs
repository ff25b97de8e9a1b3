//! The far tier of a cache, made.

use std::sync::Arc;
use std::time::Duration;

use larder_core::far::Space;
use larder_core::{Key, Ttl};
use larder_flight::{Limit, Stamps};

use super::FarPlan;
use crate::build_error::BuildError;
use crate::cache::Inner;
use crate::events::Teller;
use crate::far::{Breaker, FarCounts, FarTier, Lease, Link, Pulse, Sight, listen};
use crate::larder::{FarShare, Larder};
use crate::lifetime::Times;

/// A far tier, and what keeps the near one in step with it.
pub(in crate::cache::builder) struct FarParts<V> {
    pub(in crate::cache::builder) tier: Arc<FarTier<V>>,
    pub(in crate::cache::builder) sight: Arc<Sight>,
    pub(in crate::cache::builder) link: Option<Arc<Link>>,
    pub(in crate::cache::builder) near: bool,
}

impl<V: Send + Sync + 'static> FarPlan<V> {
    /// Nothing where the larder has no store.
    pub(in crate::cache::builder) fn build(
        self,
        larder: &Larder,
        teller: &Arc<Teller>,
        times: &Times,
        stamps: &Arc<Stamps>,
    ) -> Result<Option<FarParts<V>>, BuildError> {
        let Some(share) = larder.far() else {
            let missing = "needs a larder with a far store";
            let alone = self.alone.map(|setting| BuildError::new(setting, missing));
            return alone.map_or(Ok(None), Err);
        };
        // Of the cache, not of the larder: what the queue of a dropped cache still sends must raise
        // the next one of its name.
        let node = larder.runtime().random();
        let sight = Arc::new(Sight::new(share.blind));
        if self.lease.is_some() && share.bus.is_none() {
            let text = "needs a store with the ability `Bus`: who waits is woken by a message";
            return Err(BuildError::new("lease", text));
        }
        if self.foreign_writers {
            hears_writers(share).map_err(|text| BuildError::new("foreign_writers", text))?;
        }
        let lease = self.lease.map(Lease::new);
        let link = Link::new(node, Arc::clone(stamps), Arc::clone(&sight))
            .waking(lease.as_ref().map(|lease| Arc::clone(lease.wakes())));
        let near = self.alone.is_none();
        let tier = self.tier(larder, share, teller, times, node);
        let tier = Arc::new(FarTier { lease, ..tier });
        tier.queue.join(stamps);
        let link = match share.requeue {
            Some(_) => requeuing(link, &tier),
            None => link,
        };
        let link = share.bus.as_ref().map(|_| Arc::new(link));
        Ok(Some(FarParts {
            tier,
            sight,
            link,
            near,
        }))
    }

    fn tier(
        self,
        larder: &Larder,
        share: &FarShare,
        teller: &Arc<Teller>,
        times: &Times,
        node: u64,
    ) -> FarTier<V> {
        let name = teller.cache();
        let runtime = Arc::clone(larder.runtime());
        let space = Space::new(Arc::clone(name), node, self.coding.schema())
            .lives(times.deadline, self.barrier);
        FarTier {
            store: Arc::clone(&share.store),
            space: match self.foreign_writers {
                true => space.with_foreign_writers(),
                false => space,
            },
            coding: self.coding,
            clock: runtime.clock(),
            runtime,
            deadline: self.deadline,
            max_age: times.max_age,
            raises: self.raises,
            counts: FarCounts::default(),
            teller: Arc::clone(teller),
            breaker: Breaker::default(),
            queue: share.queue(name, self.queue),
            changes: Arc::new(Limit::new(usize::MAX)),
            lease: None,
        }
    }
}

fn hears_writers(share: &FarShare) -> Result<(), String> {
    let bus = share.bus.as_ref();
    let bus = bus.ok_or("needs a store with the ability `Bus`: it tells what others write")?;
    let hears = bus.hears_writers();
    hears.map_err(|why| format!("needs a store that hears other writers: this one {why}"))
}

/// A link that queues again what was acknowledged lately, as long as the tier is there.
fn requeuing<V: Send + Sync + 'static>(link: Link, tier: &Arc<FarTier<V>>) -> Link {
    let tier = Arc::downgrade(tier);
    link.requeuing(move || {
        if let Some(tier) = tier.upgrade() {
            tier.requeue();
        }
    })
}

/// Three times the longest life of an entry, so that a barrier that expires in spite of being
/// renewed kills what is under it, and never revives.
pub(super) fn barrier_life(times: &Times) -> Result<Duration, BuildError> {
    let endless = "must be set: a far tier keeps nothing without an end";
    let ttl = times.value.finite();
    let ttl = ttl.ok_or_else(|| BuildError::new("ttl", endless))?;
    let life = ttl.saturating_add(times.stale);
    let life = life.saturating_add(times.deadline).saturating_mul(3);
    Ok(life.min(Ttl::MAX.duration()))
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Listens to the other nodes, if there is a bus.
    pub(in crate::cache::builder) fn listen(&self, larder: &Larder) {
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
