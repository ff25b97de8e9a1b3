//! The service of the tests: functions over a source that does as it is told, cached by attribute
//! and by calls.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use larder::{Cache, CacheBuilder, Larder, LoadError, LoadErrorKind, cache_evict, cacheable};
use larder_kit::{KitError, Loader, Virtual};

/// The service's own error: everyone who waits gets a clone of it.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("{0}")]
    Source(KitError),
    #[error("{0}")]
    Cache(#[from] LoadError),
}

impl Trouble {
    pub(crate) fn kind(&self) -> LoadErrorKind {
        match self {
            Self::Source(_) => LoadErrorKind::Source,
            Self::Cache(error) => error.kind(),
        }
    }
}

/// How a function is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Attribute,
    Calls,
}

pub(crate) const FORMS: [Form; 2] = [Form::Attribute, Form::Calls];

#[derive(Clone)]
pub(crate) struct Shop {
    pub(crate) cache: Cache<String, String>,
    pub(crate) source: Loader,
}

pub(crate) type Asked<T> = Pin<Box<dyn Future<Output = Result<T, Trouble>> + Send>>;

impl Shop {
    pub(crate) fn new(time: &Virtual) -> Self {
        Self::with(time, |cache| cache)
    }

    pub(crate) fn with(
        time: &Virtual,
        settings: impl FnOnce(CacheBuilder<String, String>) -> CacheBuilder<String, String>,
    ) -> Self {
        let larder = Larder::builder().runtime(time.clone()).build().unwrap();
        let cache = larder.cache("shop").ttl(Duration::from_secs(300));
        Self {
            cache: settings(cache).build().unwrap(),
            source: Loader::new(time.runtime()),
        }
    }

    #[cacheable(self.cache)]
    async fn named(&self, key: &str) -> Result<String, Trouble> {
        self.source.call(key).await.map_err(Trouble::Source)
    }

    #[cacheable(self.cache)]
    async fn sought(&self, key: &str) -> Result<Option<String>, Trouble> {
        self.source.find(key).await.map_err(Trouble::Source)
    }

    /// A value that must be there.
    pub(crate) fn ask(&self, form: Form, key: &str) -> Asked<String> {
        let (shop, key) = (self.clone(), key.to_owned());
        Box::pin(async move {
            if form == Form::Attribute {
                return shop.named(&key).await;
            }
            let (source, of) = (shop.source, key.clone());
            let load = move || async move { source.call(of).await };
            shop.cache.get_or_load(&key, load).await.map_err(trouble)
        })
    }

    /// A value that may be absent.
    pub(crate) fn seek(&self, form: Form, key: &str) -> Asked<Option<String>> {
        let (shop, key) = (self.clone(), key.to_owned());
        Box::pin(async move {
            if form == Form::Attribute {
                return shop.sought(&key).await;
            }
            let (source, of) = (shop.source, key.clone());
            let load = move || async move { source.find(of).await };
            shop.cache.get_or_load(&key, load).await.map_err(trouble)
        })
    }

    #[cache_evict(self.cache)]
    async fn remove(&self, key: &str) -> Result<(), KitError> {
        self.source.call(format!("remove {key}")).await.map(drop)
    }

    #[cache_evict(self.cache, before)]
    async fn remove_early(&self, key: &str) -> Result<(), KitError> {
        self.source.call(format!("remove {key}")).await.map(drop)
    }

    #[cache_evict(self.cache, all)]
    async fn remove_all(&self) -> Result<(), KitError> {
        self.source.call("remove all").await.map(drop)
    }

    #[cache_evict(self.cache, all, before)]
    async fn remove_all_early(&self) -> Result<(), KitError> {
        self.source.call("remove all").await.map(drop)
    }

    #[cache_evict(self.cache, key = key)]
    async fn remove_of_several(&self, reason: u64, key: &str, at: &str) -> Result<(), KitError> {
        let text = format!("remove {key} {reason} {at}");
        self.source.call(text).await.map(drop)
    }

    /// Changes the source by one of the evicting functions.
    pub(crate) async fn evict(&self, how: Evict, key: &str) -> Result<(), KitError> {
        match how {
            Evict::Key => self.remove(key).await,
            Evict::KeyEarly => self.remove_early(key).await,
            Evict::All => self.remove_all().await,
            Evict::AllEarly => self.remove_all_early().await,
            Evict::KeyOfSeveral => self.remove_of_several(7, key, "here").await,
        }
    }

    pub(crate) async fn holds(&self, key: &str) -> bool {
        self.cache.get(key).await.value().is_some()
    }
}

/// What a function that changes the source does to the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evict {
    Key,
    KeyEarly,
    All,
    AllEarly,
    KeyOfSeveral,
}

pub(crate) const EVICTS: [Evict; 5] = [
    Evict::Key,
    Evict::KeyEarly,
    Evict::All,
    Evict::AllEarly,
    Evict::KeyOfSeveral,
];

impl Evict {
    pub(crate) fn is_early(self) -> bool {
        matches!(self, Self::KeyEarly | Self::AllEarly)
    }

    pub(crate) fn is_all(self) -> bool {
        matches!(self, Self::All | Self::AllEarly)
    }
}

/// The error of the plain form as the attribute gives it.
fn trouble(error: LoadError) -> Trouble {
    match error.downcast_ref::<KitError>() {
        Some(own) => Trouble::Source(own.clone()),
        None => Trouble::Cache(error),
    }
}
