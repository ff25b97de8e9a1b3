//! The service: deals, cached.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use larder::{BuildError, Cache, Larder, LoadError, LoadErrorKind, cache_evict, cacheable};
use larder_domain::{Deal, DealSource, Saved, SourceError, SourceErrorKind};

const TTL: Duration = Duration::from_secs(300);
const ABSENT_TTL: Duration = Duration::from_secs(10);
const CAPACITY: usize = 100_000;

/// Deals from a source, kept in a cache named `deals`: a deal for 5 minutes, the absence of one for 10 seconds, at most
/// 100,000 of them. Clones are the same service.
#[derive(Clone)]
pub struct Deals {
    cache: Cache<u64, Deal>,
    source: Arc<dyn DealSource>,
}

impl Deals {
    /// The service over `source`, with a cache of `larder`.
    ///
    /// # Errors
    /// `larder` has a cache named `deals` already.
    pub fn new(larder: &Larder, source: Arc<dyn DealSource>) -> Result<Self, BuildError> {
        let cache = larder
            .cache("deals")
            .ttl(TTL)
            .absent_ttl(ABSENT_TTL)
            .capacity(CAPACITY)
            .build()?;
        Ok(Self { cache, source })
    }

    #[cacheable(self.cache, key = no, map_error = failed)]
    pub(crate) async fn deal(&self, no: u64) -> Result<Option<Arc<Deal>>, SourceError> {
        Ok(self.source.read(no).await?.map(Arc::new))
    }

    #[cache_evict(self.cache, key = deal.deal_no)]
    pub(crate) async fn save(&self, deal: &Deal) -> Result<Saved, SourceError> {
        self.source.save(deal).await
    }

    #[cache_evict(self.cache, key = no)]
    pub(crate) async fn delete(&self, no: u64) -> Result<bool, SourceError> {
        self.source.delete(no).await
    }

    pub(crate) async fn ready(&self) -> Result<(), SourceError> {
        self.source.ready().await
    }
}

/// The cache's own failures in the source's words.
fn failed(error: LoadError) -> SourceError {
    let kind = match error.kind() {
        LoadErrorKind::TimedOut => SourceErrorKind::TimedOut,
        LoadErrorKind::Refused => SourceErrorKind::Overloaded,
        LoadErrorKind::Far => SourceErrorKind::Unavailable,
        _ => SourceErrorKind::Broken,
    };
    SourceError::new(kind, error)
}

impl fmt::Debug for Deals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deals")
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}
