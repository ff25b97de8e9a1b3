//! What a load says of its result, beside the result.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use larder_core::LoadError;

use super::{Answer, Keep, Told};
use crate::terms::After;

/// A load's result with what is said of it: a load may return this, or a `Result` of it, in the
/// place of the bare result.
///
/// What is said here counts before what the call and the cache say, for this result alone, and also
/// where the load ends after its callers have left.
///
/// ```
/// # use std::time::Duration;
/// # use larder_engine::{Cache, Larder, Loaded};
/// # smol::block_on(async {
/// let rates: Cache<u64, u32> = Larder::builder().build()?.cache("rates").build()?;
/// let rate = rates
///     .get_or_load(&5, || async { Loaded::new(7).ttl(Duration::from_secs(60)).tag("EUR") })
///     .await?;
/// assert_eq!(rate, 7);
/// // A fallback: given to those who wait, and the next call tries again.
/// let fallback = rates.get_or_load(&6, || async { Loaded::new(0).unstored() }).await?;
/// assert_eq!((fallback, rates.stats().entries), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[must_use]
pub struct Loaded<A> {
    /// Nothing: it has not changed.
    answer: Option<A>,
    after: After,
    validator: Option<Box<[u8]>>,
}

impl<A> Loaded<A> {
    /// A result, of which nothing is said yet.
    pub fn new(answer: A) -> Self {
        Self::of(Some(answer))
    }

    /// The old result holds still: it is kept anew, with the times, tags and validator that are said
    /// here, and its own validator if none is.
    ///
    /// For loads that were given the old result, see
    /// [`Cache::get_or_reload`](crate::Cache::get_or_reload). From any other it is an error of kind
    /// [`Source`](larder_core::LoadErrorKind::Source).
    pub fn not_modified() -> Self {
        Self::of(None)
    }

    fn of(answer: Option<A>) -> Self {
        Self {
            answer,
            after: After::default(),
            validator: None,
        }
    }

    /// How long the result is kept; under 10 ms it is given and not kept.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.after.ttl = Some(ttl);
        self
    }

    /// How long the result may be served after its end, while or because there is no newer one.
    pub fn stale(mut self, window: Duration) -> Self {
        self.after.stale = Some(window);
        self
    }

    /// A tag, in addition to those that the call says.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.after.tags.push(tag.into());
        self
    }

    /// Given to those who wait, and not kept.
    pub fn unstored(mut self) -> Self {
        self.after.unless = true;
        self
    }

    /// What the source knows this version of the result by (an entity tag, a version): it is kept
    /// beside the result, and given to the load that renews it. At most 64 KiB with a far tier.
    pub fn validator(mut self, validator: impl Into<Vec<u8>>) -> Self {
        self.validator = Some(validator.into().into());
        self
    }

    fn told<V, M>(self) -> Told<V>
    where
        A: Keep<V, M>,
    {
        Told {
            value: self.answer.map(A::keep),
            after: self.after,
            validator: self.validator,
        }
    }
}

/// Shows whether there is a result, and neither that nor what is said of it.
impl<A> fmt::Debug for Loaded<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Loaded");
        out.field("modified", &self.answer.is_some());
        out.finish_non_exhaustive()
    }
}

/// The marker of [`Loaded`] of a shape.
#[derive(Debug)]
pub struct Saying<M>(PhantomData<M>);

impl<V, M, A: Keep<V, M>> Answer<V, Saying<M>> for Loaded<A> {
    type Kept = A;
    const FALLIBLE: bool = false;
    const ABSENCE: bool = A::ABSENCE;

    fn ok(&self) -> Option<&A> {
        self.answer.as_ref()
    }

    fn split(self) -> Result<Option<Arc<V>>, LoadError> {
        self.told().bare()
    }

    fn tell(self) -> Result<Told<V>, LoadError> {
        Ok(self.told())
    }

    fn answer(value: Option<Arc<V>>) -> Option<Self> {
        A::give(value).map(Self::new)
    }

    fn kept(value: Option<Arc<V>>) -> Option<A> {
        A::give(value)
    }
}

impl<V, M, A, E> Answer<V, Saying<super::shape::Fallible<M>>> for Result<Loaded<A>, E>
where
    A: Keep<V, M>,
    E: Display + Send + Sync + 'static,
{
    type Kept = A;
    const FALLIBLE: bool = true;
    const ABSENCE: bool = A::ABSENCE;

    fn ok(&self) -> Option<&A> {
        self.as_ref().ok()?.answer.as_ref()
    }

    fn split(self) -> Result<Option<Arc<V>>, LoadError> {
        self.map_err(LoadError::source)?.told().bare()
    }

    fn tell(self) -> Result<Told<V>, LoadError> {
        self.map(Loaded::told).map_err(LoadError::source)
    }

    fn answer(value: Option<Arc<V>>) -> Option<Self> {
        A::give(value).map(Loaded::new).map(Ok)
    }

    fn kept(value: Option<Arc<V>>) -> Option<A> {
        A::give(value)
    }
}
