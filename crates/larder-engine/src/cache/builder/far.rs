//! The far tier of a cache to be built.

mod parts;

use std::sync::Arc;
use std::time::Duration;

use larder_core::{Key, Ttl};

use super::CacheBuilder;
use super::times::{Wishes, checked, said};
use super::wrapping::Wrapping;
use crate::build_error::BuildError;
use crate::far::Coding;
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
    Shape(String),
}

/// What was asked for.
pub(super) struct FarWish<V> {
    coding: Option<MakeCoding<V>>,
    /// The setting that asked for no near tier.
    alone: Option<&'static str>,
    /// Whether one was asked for.
    too: bool,
    deadline: Option<Duration>,
    largest: Option<usize>,
    schema: Option<u64>,
    shape: Option<String>,
    pub(super) wrapping: Wrapping,
    raises: Option<bool>,
    queue: Option<usize>,
    lease: Option<Duration>,
    foreign_writers: Option<bool>,
}

impl<V> Default for FarWish<V> {
    fn default() -> Self {
        Self {
            coding: None,
            alone: None,
            too: false,
            deadline: None,
            largest: None,
            schema: None,
            shape: None,
            wrapping: Wrapping::default(),
            raises: None,
            queue: None,
            lease: None,
            foreign_writers: None,
        }
    }
}

/// How a cache with a far tier goes about it, whatever its larder has.
pub(super) struct FarPlan<V> {
    coding: Arc<dyn Coding<V>>,
    alone: Option<&'static str>,
    deadline: Duration,
    barrier: Duration,
    raises: bool,
    queue: usize,
    lease: Option<Duration>,
    foreign_writers: bool,
}

impl<V> FarWish<V> {
    /// Nothing where no far tier was asked for. What is wrong is refused also where the larder has no
    /// store: it would be wrong where it has one.
    pub(super) fn plan(
        self,
        cache: &Arc<str>,
        wishes: &Wishes,
        times: &Times,
    ) -> Result<Option<FarPlan<V>>, BuildError> {
        let deadline = self.deadline.unwrap_or(Duration::from_millis(250));
        let deadline = checked("far_deadline", deadline)?.duration();
        self.fits(wishes)?;
        let lease = lease(self.lease, times)?;
        let Some(coding) = self.coding else {
            return Ok(None);
        };
        let number = self.schema.map(Said::Number);
        let coding = coding(Making {
            cache: Arc::clone(cache),
            largest: self.largest.unwrap_or(1 << 20),
            schema: number.or(self.shape.map(Said::Shape)),
            wrapping: self.wrapping,
        })?;
        Ok(Some(FarPlan {
            coding,
            alone: self.alone,
            deadline,
            barrier: parts::barrier_life(times)?,
            raises: self.raises.unwrap_or(false),
            queue: self.queue.unwrap_or(1024),
            lease,
            foreign_writers: self.foreign_writers.unwrap_or(false),
        }))
    }

    /// What has no sense of its own, or not together.
    fn fits(&self, wishes: &Wishes) -> Result<(), BuildError> {
        let wrong = |setting, text: &str| Err(BuildError::new(setting, text));
        for (setting, value) in [("max_frame", self.largest), ("queue", self.queue)] {
            if value == Some(0) {
                return wrong(setting, "must not be zero");
            }
        }
        self.wrapping.fits()?;
        if let (Some(setting), None) = (self.made(), &self.coding) {
            let text = "says nothing without a far tier: add `far`, `far_only` or `codec`";
            return wrong(setting, text);
        }
        if self.schema.is_some() && self.shape.is_some() {
            let text = "says nothing beside `schema`: leave one of them out";
            return wrong("shaped", text);
        }
        if let (Some(setting), true) = (self.alone, self.too) {
            let text =
                "keeps values far alone, and `far` keeps them near too: leave one of them out";
            return wrong(setting, text);
        }
        if let (Some(setting), Some(_)) = (wishes.near(), self.alone) {
            return wrong(setting, "is of the near tier, and this cache is far only");
        }
        Ok(())
    }

    /// A setting that was made and asks for no far tier by itself.
    fn made(&self) -> Option<&'static str> {
        let own = said([
            ("far_deadline", self.deadline.is_some()),
            ("max_frame", self.largest.is_some()),
            ("schema", self.schema.is_some()),
            ("shaped", self.shape.is_some()),
            ("raise_far_errors", self.raises.is_some()),
            ("queue", self.queue.is_some()),
            ("lease", self.lease.is_some()),
            ("foreign_writers", self.foreign_writers.is_some()),
        ]);
        own.or_else(|| self.wrapping.made()).or(self.alone)
    }
}

fn lease(wish: Option<Duration>, times: &Times) -> Result<Option<Duration>, BuildError> {
    let time = wish.map(|time| checked("lease", time)).transpose()?;
    let time = time.map(Ttl::duration);
    if time.is_some_and(|time| time >= times.deadline) {
        let text = "must be less than `deadline`, or a load that waits has no time left to run";
        return Err(BuildError::new("lease", text));
    }
    Ok(time)
}

impl<K: Key, V: Send + Sync + 'static> CacheBuilder<K, V> {
    #[cfg(feature = "codec")]
    pub(super) fn said(mut self, shape: String) -> Self {
        self.far.shape = Some(shape);
        self
    }

    /// Keeps values far as well.
    #[cfg(feature = "codec")]
    pub(super) fn far_too(mut self, coding: MakeCoding<V>) -> Self {
        self.far.coding.get_or_insert(coding);
        self.far.too = true;
        self
    }

    #[cfg(feature = "codec")]
    pub(super) fn far_unless(mut self, coding: MakeCoding<V>) -> Self {
        self.far.coding.get_or_insert(coding);
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
    /// is as if the store were not there: reads load, changes are queued. Of a load it takes at most
    /// half of the time, however long it is.
    pub fn far_deadline(mut self, deadline: Duration) -> Self {
        self.far.deadline = Some(deadline);
        self
    }

    /// The largest value that is stored far, in bytes of its frame; 1 MiB unless set. A larger one
    /// is returned, counted, and not stored there.
    pub fn max_frame(mut self, bytes: usize) -> Self {
        self.far.largest = Some(bytes);
        self
    }

    /// Numbers the shape of the values, in the place of tracing it: for types that tracing cannot
    /// follow to their end. In the place of
    /// `shaped`, not beside it. The number has to change whenever the type does; nobody else notices.
    pub fn schema(mut self, number: u64) -> Self {
        self.far.schema = Some(number);
        self
    }

    /// Whether a call fails, with [`LoadErrorKind::Far`](larder_core::LoadErrorKind::Far), where the
    /// far tier cannot be read. Unless set it is served by a load.
    pub fn raise_far_errors(mut self, raise: bool) -> Self {
        self.far.raises = Some(raise);
        self
    }

    /// Lets one node at a time load a key: the others wait until its load has ended, for so long at
    /// most, and take what the far tier holds then; off unless set, 2 s is a good start. Needs a
    /// store that is a [`Bus`](larder_core::far::Bus), and must be less than the `deadline`. To be
    /// set on all nodes alike.
    ///
    /// It saves the source work and promises nothing: a load that takes longer than this, a node
    /// that dies or a message that is lost costs those who wait this time, or half of what is left
    /// of their own deadline if that is less, and then they load as well. A load that fails, or is
    /// given up, lets the next node load at once. What is loaded in the place of something old or
    /// expired that the far tier still holds is not waited for, and streams do not wait.
    pub fn lease(mut self, time: Duration) -> Self {
        self.far.lease = Some(time);
        self
    }

    /// Whether others than larder write or delete entries of this cache in the far store: another
    /// program, an operator at a prompt. The near tier then lets go of what they touch, as soon as
    /// the store tells; off unless set. Needs a far store that can tell, as one Redis server can; to
    /// be set on all nodes alike.
    ///
    /// What they write is read as nothing, unless it is what larder would have written. A connection
    /// that was lost is a loss as with messages of other nodes; while the store does not tell, a node
    /// is blind, and uses what it has no longer than
    /// [`blind_ttl`](crate::LarderBuilder::blind_ttl).
    ///
    /// A store tells of every write, also of larder's own: one more small request for each token that
    /// a node makes and each value that it stores. A store by another node costs this one a far read,
    /// if it holds the key.
    pub fn foreign_writers(mut self, are_there: bool) -> Self {
        self.far.foreign_writers = Some(are_there);
        self
    }

    /// How many unacknowledged invalidations are remembered one by one; 1,024 unless set. One more
    /// makes them all one clear.
    pub fn queue(mut self, most: usize) -> Self {
        self.far.queue = Some(most);
        self
    }
}
