//! A cache you declare, for async Rust on smol.
//!
//! # Nouns
//! - [`cacheable`], [`cache_put`] and [`cache_evict`] put a cache around a function.
//! - [`Cache`] holds `Arc<V>` by `K`, for a time; [`Larder`] owns what caches share.
//! - [`Key`] is what an entry is found by; derive it for types of your own.
//! - [`Mode`] switches a cache off, or to reading or writing only; [`bypass`] and [`under`] a task.
//! - [`LoadError`] is why a load gave no answer; [`Outcome`], by [`observe`], why an answer is what
//!   it is.
//! - [`Runtime`] is where loads run; [`Smol`] is the one that is used unless another is installed.
//!
//! # What it is not
//! This crate holds no logic: it is the list of what the crates below it offer to a user.

#[cfg(feature = "json")]
pub use larder_codec::Json;
#[cfg(feature = "encrypt")]
pub use larder_codec::Keys;
#[cfg(feature = "prost")]
pub use larder_codec::Protobuf;
#[cfg(feature = "far")]
pub use larder_codec::{
    Codec, DecodeError, EncodeError, Postcard, Raw, Shape, ShapeError, ShapeErrorKind,
};
pub use larder_core::{
    BlockingError, BoxFuture, Clock, Key, KeyError, KeyReader, KeyWriter, LoadError, LoadErrorKind,
    Lookup, ManualClock, Moment, Runtime, Ttl, TtlError, blocking,
};
#[cfg(feature = "smol")]
pub use larder_engine::Smol;
pub use larder_engine::{
    AlreadyInstalled, Answer, BuildError, Cache, CacheBuilder, CallOptions, Change, ErrorTtl,
    Event, Events, Explanation, FarStats, Fetched, Got, Held, Keep, Larder, LarderBuilder, Loaded,
    Mode, Observation, Observed, One, Outcome, Pairs, Previous, PutTicket, Refresh, Series, Stale,
    Stats, Streamed, Tier, Under, What, Why, bypass, observe, observe_blocking, shape, under,
};
#[cfg(feature = "far")]
pub use larder_macros::Schema;
#[cfg(feature = "far")]
pub use larder_memory::{Limits, Shelf};
#[cfg(feature = "redis")]
pub use larder_redis::{
    Address, ConnectError, ConnectErrorKind, Connection, ConnectionCounts, Health, MasterHealth,
    Redis, SettingError, Settings, State, Target, WaitRefused,
};

/// ```
/// use larder::Key;
///
/// #[derive(Clone, PartialEq, Eq, Hash, Key)]
/// enum Place {
///     Region(String),
///     Shop { city: String, no: u32 },
/// }
///
/// let shop = Place::Shop { city: "Bern".into(), no: 7 };
/// assert_eq!(shop.text(), "Shop,Bern,7");
/// assert!(Place::parse("Shop,Bern,7")? == shop);
/// # Ok::<(), larder::KeyError>(())
/// ```
pub use larder_macros::Key;

/// ```
/// use std::sync::{Arc, LazyLock};
/// use std::time::Duration;
/// use larder::{Cache, cacheable};
///
/// static TITLES: LazyLock<Cache<u64, String>> =
///     LazyLock::new(|| Cache::builder("titles").ttl(Duration::from_secs(300)).build().unwrap());
///
/// // Over a named cache, keyed by its one argument; `None` is cached too, for less long.
/// #[cacheable(TITLES, absent_ttl = "5s")]
/// async fn title(no: u64) -> anyhow::Result<Option<Arc<String>>> {
///     Ok((no == 5).then(|| Arc::new("Eldon Cart".to_owned())))
/// }
///
/// // With a cache of its own, keyed by `(String, String)`; a hit by two `&str` allocates nothing.
/// #[cacheable(ttl = "5m", deadline = "2s")]
/// async fn rate(from: &str, to: &str) -> anyhow::Result<u64> {
///     Ok((from.len() + to.len()) as u64)
/// }
///
/// # futures_lite::future::block_on(async {
/// assert_eq!(title(5).await?.as_deref().map(String::as_str), Some("Eldon Cart"));
/// assert_eq!(rate("EUR", "CHF").await?, 6);
/// assert_eq!(rate::cache().get(&("EUR", "CHF")).await.value().as_deref(), Some(&6));
/// # anyhow::Ok(())
/// # }).unwrap();
/// ```
pub use larder_macros::cacheable;

/// ```
/// use larder::{Cache, cache_evict, cacheable};
///
/// #[derive(Clone)]
/// struct Prices {
///     cache: Cache<u64, u32>,
/// }
///
/// impl Prices {
///     #[cacheable(self.cache)]
///     async fn price(&self, no: u64) -> anyhow::Result<u32> {
///         Ok(1118)
///     }
///
///     // After `Ok` the entry is gone; after an error nothing has changed.
///     #[cache_evict(self.cache, key = no)]
///     async fn set(&self, no: u64, price: u32) -> anyhow::Result<()> {
///         anyhow::ensure!(price > 0, "a price is positive");
///         Ok(())
///     }
///
///     // Also if the body fails.
///     #[cache_evict(self.cache, all, before)]
///     async fn import(&self) -> anyhow::Result<()> {
///         Ok(())
///     }
/// }
/// ```
pub use larder_macros::cache_evict;

/// ```
/// use std::time::Duration;
/// use larder::{Cache, cache_put, cacheable};
///
/// #[derive(Clone)]
/// struct Deal {
///     no: u64,
///     region: String,
///     days: u64,
/// }
///
/// #[derive(Clone)]
/// struct Deals {
///     cache: Cache<u64, Deal>,
/// }
///
/// impl Deals {
///     // Time and tags of what was found; what ends today is not kept.
///     #[cacheable(
///         self.cache,
///         ttl = |deal| Duration::from_secs(deal.days * 60),
///         tags = |deal| [&deal.region],
///         unless = |deal| deal.days == 0,
///     )]
///     async fn find(&self, no: u64) -> anyhow::Result<Deal> {
///         # assert_eq!(no, 7);
///         Ok(Deal { no, region: "EU".into(), days: 3 })
///     }
///
///     // After `Ok` the cache holds what was saved, unless another was faster.
///     #[cache_put(self.cache, key = deal.no, tags = [deal.region])]
///     async fn save(&self, deal: Deal) -> anyhow::Result<Deal> {
///         Ok(deal)
///     }
///
///     // The number is the database's.
///     #[cache_put(self.cache, key = |created| created.no)]
///     async fn create(&self, region: &str) -> anyhow::Result<Deal> {
///         Ok(Deal { no: 9, region: region.to_owned(), days: 1 })
///     }
/// }
///
/// # futures_lite::future::block_on(async {
/// # let cache = larder::Larder::builder().build()?.cache("deals").build()?;
/// # let deals = Deals { cache };
/// deals.find(7).await?;
/// deals.save(Deal { no: 8, region: "EU".into(), days: 2 }).await?;
/// deals.create("US").await?;
/// assert!(deals.cache.get(&7).await.value().is_some());
/// deals.cache.invalidate_tag("EU").await;
/// assert!(deals.cache.get(&7).await.value().is_none());
/// assert!(deals.cache.get(&8).await.value().is_none());
/// assert!(deals.cache.get(&9).await.value().is_some());
/// # anyhow::Ok(())
/// # }).unwrap();
/// ```
pub use larder_macros::cache_put;

#[doc(hidden)]
pub use larder_engine::__private;
