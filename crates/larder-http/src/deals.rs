//! The service: deals, cached.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_lite::{Stream, StreamExt, stream};
use larder::{BuildError, Cache, Key, Larder, Runtime, cache_evict, cache_put, cacheable};
use larder_domain::{Deal, DealSource, Page, Saved, Selection, SourceError, SourceErrorKind};

use crate::failed::failed;
use crate::filter::Filter;
use crate::listing::Listing;

const TTL: Duration = Duration::from_secs(300);
const ABSENT_TTL: Duration = Duration::from_secs(10);
/// Of each cache, in bytes: requests choose the keys, and change the values.
const WEIGHT: u64 = 64 << 20;
const LIST_TTL: Duration = Duration::from_secs(30);

/// The first page of a stream, which somebody waits for, and every other.
const PAGES: (usize, usize) = (50, 500);

/// Deals from a source, kept in three caches. Clones are the same service.
///
/// - `deals`: a deal for 5 minutes, the absence of one for 10 seconds, at most about 64 MiB.
/// - `lists`: a page of deals for 30 seconds, at most about 64 MiB with their filters. A change clears it, because a deal
///   can enter or leave any page of any filter; what filters were asked is not known to the change.
/// - `streams`: all deals of a filter, as long as a page and cleared like it. At most 10,000 of one filter are kept; more are
///   passed through.
///
/// Where the larder has a far store they lie there too, and a change on one node is a change on all.
///
/// A change is carried out to its end, and the cache told, even if who asked for it has left.
#[derive(Clone)]
pub struct Deals {
    cache: Cache<u64, Deal>,
    lists: Cache<Listing, Page>,
    streams: Cache<Filter, Vec<Arc<Deal>>>,
    source: Arc<dyn DealSource>,
    runtime: Arc<dyn Runtime>,
}

impl Deals {
    /// The service over `source`, with the caches in `larder`.
    ///
    /// # Errors
    /// `larder` has a cache named `deals`, `lists` or `streams` already.
    pub fn new(larder: &Larder, source: Arc<dyn DealSource>) -> Result<Self, BuildError> {
        let cache = larder
            .cache("deals")
            .ttl(TTL)
            .absent_ttl(ABSENT_TTL)
            .weight(WEIGHT, |_, deal| heft(deal))
            .far()
            .build()?;
        let lists = larder
            .cache("lists")
            .ttl(LIST_TTL)
            .weight(WEIGHT, |listing: &Listing, page: &Page| {
                listing.text().len() as u64 + page.deals.iter().map(heft).sum::<u64>()
            })
            .far()
            .build()?;
        let streams = larder
            .cache("streams")
            .ttl(LIST_TTL)
            .weight(WEIGHT, |filter: &Filter, deals: &Vec<Arc<Deal>>| {
                filter.text().len() as u64 + deals.iter().map(|deal| heft(deal)).sum::<u64>()
            })
            .far()
            .build()?;
        Ok(Self {
            cache,
            lists,
            streams,
            source,
            runtime: Arc::clone(larder.runtime()),
        })
    }

    #[cacheable(self.cache, key = no, map_error = failed)]
    pub(crate) async fn deal(&self, no: u64) -> Result<Option<Arc<Deal>>, SourceError> {
        Ok(self.source.read(no).await?.map(Arc::new))
    }

    #[cacheable(self.lists, key = listing, map_error = failed)]
    pub(crate) async fn list(&self, listing: &Listing) -> Result<Arc<Page>, SourceError> {
        Ok(Arc::new(self.source.list(&listing.selection()).await?))
    }

    #[cacheable(self.streams, key = filter, map_error = failed)]
    pub(crate) fn stream(
        &self,
        filter: &Filter,
    ) -> impl Stream<Item = Result<Arc<Deal>, SourceError>> + Send + use<> {
        all(Arc::clone(&self.source), filter.first(PAGES.0))
    }

    /// The deals of these numbers, in their order: one call of the source for those that are not held.
    pub(crate) async fn batch(
        &self,
        numbers: &[u64],
    ) -> Result<Vec<Option<Arc<Deal>>>, SourceError> {
        let source = Arc::clone(&self.source);
        let load = move |missing| {
            let source = Arc::clone(&source);
            async move {
                let found = source.read_many(missing).await?;
                Ok::<_, SourceError>(found.into_iter().map(|deal| (deal.deal_no, deal)))
            }
        };
        let found = self.cache.get_or_load_many(numbers, load).await;
        found.into_iter().map(|deal| deal.map_err(failed)).collect()
    }

    /// Gives the deal for the cache, and says in `saved` what the source did.
    #[cache_put(self.cache, key = deal.deal_no)]
    #[cache_evict(self.lists, all)]
    #[cache_evict(self.streams, all)]
    async fn save_now(&self, deal: Arc<Deal>, saved: &mut Saved) -> Result<Arc<Deal>, SourceError> {
        *saved = self.source.save(&deal).await?;
        Ok(deal)
    }

    #[cache_evict(self.cache, key = no)]
    #[cache_evict(self.lists, all)]
    #[cache_evict(self.streams, all)]
    async fn delete_now(&self, no: u64) -> Result<bool, SourceError> {
        self.source.delete(no).await
    }

    pub(crate) async fn save(&self, deal: Arc<Deal>) -> Result<Saved, SourceError> {
        let deals = self.clone();
        self.to_the_end(deal.deal_no, async move {
            let mut saved = Saved::Created;
            deals.save_now(deal, &mut saved).await?;
            Ok(saved)
        })
        .await
    }

    pub(crate) async fn delete(&self, no: u64) -> Result<bool, SourceError> {
        let deals = self.clone();
        self.to_the_end(no, async move { deals.delete_now(no).await })
            .await
    }

    /// Runs a change as a task of its own: dropped after the source has changed and before the cache knows, it would
    /// leave the old value for as long as that lives.
    async fn to_the_end<T: Send + 'static>(
        &self,
        no: u64,
        change: impl Future<Output = Result<T, SourceError>> + Send + 'static,
    ) -> Result<T, SourceError> {
        let (done, answer) = smol::channel::bounded(1);
        let deals = self.clone();
        self.runtime.spawn(Box::pin(async move {
            let result = change.await;
            if result.is_err() {
                // The source may have changed all the same, and the attributes tell the caches only of a success.
                deals.cache.invalidate(&no).await;
                deals.clear_lists().await;
            }
            // The caller may have left.
            let _ = done.send(result).await;
        }));
        let lost = |error| Err(SourceError::new(SourceErrorKind::Broken, error));
        answer.recv().await.unwrap_or_else(lost)
    }

    /// Clears the caches whenever somebody else has changed deals at the source, which it asks once in every `every`. So
    /// nothing older than such a change is served later than that, and the time of one answer, after it.
    ///
    /// Never ends; drop it to stop. While the source cannot say, what is held lives out its time. An error costs a line
    /// of the log.
    pub async fn follow(&self, every: Duration) {
        let mut seen = 0;
        loop {
            match self.source.version().await {
                Ok(version) if version == seen => {}
                Ok(version) => {
                    tracing::info!("somebody else has changed deals");
                    seen = version;
                    self.cache.clear().await;
                    self.clear_lists().await;
                }
                Err(error) => tracing::warn!(%error, "changes by others cannot be seen"),
            }
            self.runtime.sleep(every).await;
        }
    }

    async fn clear_lists(&self) {
        self.lists.clear().await;
        self.streams.clear().await;
    }

    pub(crate) async fn ready(&self) -> Result<(), SourceError> {
        self.source.ready().await
    }
}

/// All deals of a selection, page by page: the first page is short, so that its deals are soon there.
fn all(
    source: Arc<dyn DealSource>,
    first: Selection,
) -> impl Stream<Item = Result<Arc<Deal>, SourceError>> + Send {
    let pages = stream::try_unfold(Some(first), move |wanted| {
        let source = Arc::clone(&source);
        async move {
            let Some(mut wanted) = wanted else {
                return Ok(None);
            };
            let page = source.list(&wanted).await?;
            wanted.after = page.deals.last().map(|last| last.deal_no);
            wanted.limit = PAGES.1;
            let next = page.more.then_some(wanted);
            Ok(Some((page.deals, next)))
        }
    });
    pages.flat_map(|page| {
        let (deals, error) = match page {
            Ok(deals) => (deals, None),
            Err(error) => (Vec::new(), Some(Err(error))),
        };
        let deals = deals.into_iter().map(|deal| Ok(Arc::new(deal)));
        stream::iter(deals.chain(error))
    })
}

/// About how many bytes a deal takes.
fn heft(deal: &Deal) -> u64 {
    let texts = [
        &deal.product_id,
        &deal.title,
        &deal.category,
        &deal.sub_category,
        &deal.region,
    ];
    let texts: usize = texts.iter().map(|text| text.len()).sum();
    (size_of::<Deal>() + texts) as u64
}

impl fmt::Debug for Deals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deals")
            .field("cache", &self.cache)
            .field("lists", &self.lists)
            .field("streams", &self.streams)
            .finish_non_exhaustive()
    }
}
