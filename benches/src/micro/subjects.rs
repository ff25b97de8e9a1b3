//! What is measured: hits on equal entries through different doors.

use larder::{Cache, Larder, LoadError, Shelf, Smol, cacheable};
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use super::keys::{Keys, text};

/// Longer than any run.
pub(super) const TTL: Duration = Duration::from_secs(3_600);

/// Room for every size, so that nothing is evicted.
pub(super) const CAPACITY: usize = 200_000;

/// One door to an entry.
pub(super) struct Subject {
    pub(super) name: &'static str,
    /// The name of the subject that its ratio is against.
    pub(super) against: &'static str,
    /// Gets every key once and counts what it found.
    pub(super) pass: Pass,
}

impl Subject {
    /// Whether it is a door of larder.
    pub(super) fn is_ours(&self) -> bool {
        self.name.contains("cacheable") || self.name.contains("Cache::")
    }
}

type Pass = for<'a> fn(&'a Subjects, &'a Keys) -> Pin<Box<dyn Future<Output = usize> + 'a>>;

/// The place of the subject that nearly all are compared with.
pub(super) const BASE: usize = 0;

const RAW: &str = "quick_cache get, u64";
/// The subjects that the goals are about.
pub(super) const STATIC: &str = "#[cacheable(STATIC)], u64";
pub(super) const GUARDED_HIT: &str = "#[cacheable], far, 2 tags, stale";
pub(super) const CACHED: &str = "#[cached], u64";
pub(super) const MOKA: &str = "moka::future get, u64";
/// Those whose hits are counted beside being timed; the first is what the others are compared with.
#[cfg(feature = "profile")]
pub(crate) const PROFILED: [&str; 4] = [RAW, STATIC, GUARDED_HIT, MOKA];
const RAW_ALONE: &str = "quick_cache get, one after the other";
const STATIC_ALONE: &str = "#[cacheable(STATIC)], one after the other";
const RAW_TEXT: &str = "quick_cache get, &str";

/// A subject whose pass awaits (or just calls) one expression a key.
macro_rules! subject {
    ($name:expr, $against:expr, |$subjects:ident, $key:ident in $keys:ident| $hit:expr) => {
        Subject {
            name: $name,
            against: $against,
            pass: |$subjects, keys| {
                Box::pin(async move {
                    let mut found = 0;
                    for $key in &keys.$keys {
                        let $key = black_box($key);
                        found += usize::from(black_box($hit).is_some());
                    }
                    found
                })
            },
        }
    };
}

/// As the macro, where what to ask for depends on what was got before, as far as the processor can know:
/// it cannot begin a hit before the one in front of it has ended.
macro_rules! subject_alone {
    ($name:expr, |$subjects:ident, $key:ident| $hit:expr) => {
        Subject {
            name: $name,
            against: RAW_ALONE,
            pass: |$subjects, keys| {
                Box::pin(async move {
                    let (mut found, mut last, none) = (0, 0, black_box(0));
                    for $key in &keys.numbers {
                        let $key = black_box(*$key ^ (last & none));
                        if let Some(deal) = black_box($hit) {
                            last = deal._no;
                            found += 1;
                        }
                    }
                    found
                })
            },
        }
    };
}

pub(super) const SUBJECTS: [Subject; 12] = [
    subject!(RAW, RAW, |all, key in numbers| all.raw.get(key)),
    subject!("Cache::get, u64", RAW, |all, key in numbers| all.plain.get(key).await.value()),
    subject!(STATIC, RAW, |_all, key in numbers| of_static(*key).await.ok().flatten()),
    subject!("#[cacheable(self.cache)], u64", RAW, |all, key in numbers| all.shop.deal(*key).await.ok().flatten()),
    subject!("observe(#[cacheable]), u64", RAW, |_all, key in numbers| {
        larder::observe(of_static(*key)).await.0.ok().flatten()
    }),
    subject!(GUARDED_HIT, RAW, |_all, key in numbers| of_guarded(*key).await.ok().flatten()),
    subject!(CACHED, RAW, |_all, key in numbers| of_cached(*key).await),
    subject!(MOKA, RAW, |all, key in numbers| all.moka.get(key).await),
    subject_alone!(RAW_ALONE, |all, key| all.raw.get(&key)),
    subject_alone!(STATIC_ALONE, |_all, key| of_static(key)
        .await
        .ok()
        .flatten()),
    subject!(RAW_TEXT, RAW_TEXT, |all, key in texts| all.raw_text.get(key.as_str())),
    subject!("#[cacheable(STATIC)], &str", RAW_TEXT, |_all, key in texts| of_text(key).await.ok().flatten()),
];

/// What every entry holds.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Deal {
    _no: u64,
    _title: String,
    _cents: u64,
}

impl Deal {
    fn new(no: u64) -> Arc<Self> {
        Arc::new(Self {
            _no: no,
            _title: format!("deal {no}"),
            _cents: 1_118,
        })
    }
}

static LOADS: AtomicUsize = AtomicUsize::new(0);

/// How often any cached function ran.
pub(super) fn loads() -> usize {
    LOADS.load(Ordering::Relaxed)
}

fn load(no: u64) -> Result<Option<Arc<Deal>>, LoadError> {
    LOADS.fetch_add(1, Ordering::Relaxed);
    Ok(Some(Deal::new(no)))
}

fn cache<K: larder::Key>(name: &'static str) -> Cache<K, Deal> {
    let builder = Cache::builder(name).ttl(TTL).capacity(CAPACITY);
    builder
        .build()
        .expect("no cache of the benchmark bears a name twice")
}

static DEALS: LazyLock<Cache<u64, Deal>> = LazyLock::new(|| cache("static"));
static TEXTS: LazyLock<Cache<String, Deal>> = LazyLock::new(|| cache("texts"));

/// With all that a hit may have to look at: tags, a stale window, and whether the node still hears
/// of what others invalidate.
static GUARDED: LazyLock<Cache<u64, Deal>> = LazyLock::new(|| {
    let shelf = Shelf::new(&Smol::global());
    let larder = Larder::builder().far(shelf).build();
    let larder = larder.expect("a shelf is far tier enough");
    let cache = larder.cache("guarded").ttl(TTL).stale(TTL);
    let cache = cache.capacity(CAPACITY).far().build();
    cache.expect("no cache of the benchmark bears a name twice")
});

#[cacheable(DEALS)]
async fn of_static(no: u64) -> Result<Option<Arc<Deal>>, LoadError> {
    load(no)
}

#[cacheable(TEXTS)]
async fn of_text(name: &str) -> Result<Option<Arc<Deal>>, LoadError> {
    load(name.len() as u64)
}

#[cacheable(GUARDED, tags = ["deals", no % 100])]
async fn of_guarded(no: u64) -> Result<Option<Arc<Deal>>, LoadError> {
    load(no)
}

#[cached::macros::cached(max_size = 200_000, ttl_secs = 3_600)]
async fn of_cached(no: u64) -> Option<Arc<Deal>> {
    load(no).ok().flatten()
}

/// A service that holds its cache.
#[derive(Clone)]
pub(super) struct Shop {
    deals: Cache<u64, Deal>,
}

impl Shop {
    #[cacheable(self.deals, key = no)]
    async fn deal(&self, no: u64) -> Result<Option<Arc<Deal>>, LoadError> {
        load(no)
    }
}

/// The map underneath, as larder has it.
pub(super) type Raw<K, V = Deal> =
    quick_cache::sync::Cache<K, Arc<V>, quick_cache::UnitWeighter, foldhash::fast::RandomState>;

/// Caches with the same entries.
pub(super) struct Subjects {
    raw: Raw<u64>,
    raw_text: Raw<String>,
    plain: Cache<u64, Deal>,
    shop: Shop,
    moka: moka::future::Cache<u64, Arc<Deal>>,
}

impl Subjects {
    /// Empty caches; once a process, because a cache's name is taken for good.
    pub(super) fn new() -> Self {
        let moka = moka::future::Cache::builder();
        Self {
            raw: raw(),
            raw_text: raw(),
            plain: cache("plain"),
            shop: Shop {
                deals: cache("shop"),
            },
            moka: moka.max_capacity(CAPACITY as u64).time_to_live(TTL).build(),
        }
    }

    /// Brings the cache of one of [`PROFILED`] to `size` entries.
    ///
    /// # Errors
    /// When a load fails.
    #[cfg(feature = "profile")]
    pub(super) async fn fill_only(
        self: Arc<Self>,
        subject: &'static str,
        size: usize,
    ) -> Result<(), LoadError> {
        for no in 0..size as u64 {
            match subject {
                STATIC => drop(of_static(no).await?),
                GUARDED_HIT => drop(of_guarded(no).await?),
                MOKA => self.moka.insert(no, Deal::new(no)).await,
                _ => self.raw.insert(no, Deal::new(no)),
            }
        }
        self.moka.run_pending_tasks().await;
        Ok(())
    }

    /// Brings every cache to `size` entries.
    ///
    /// # Errors
    /// When a load fails.
    pub(super) async fn fill(self: Arc<Self>, size: usize) -> Result<(), LoadError> {
        for no in 0..size as u64 {
            self.raw.insert(no, Deal::new(no));
            self.raw_text.insert(text(no), Deal::new(no));
            // Not `put`: it raises a stamp, and costs other keys of that stamp their entries.
            let deal = Deal::new(no);
            self.plain.get_or_load(&no, || async { deal }).await?;
            self.moka.insert(no, Deal::new(no)).await;
            of_static(no).await?;
            of_guarded(no).await?;
            of_cached(no).await;
            self.shop.deal(no).await?;
            of_text(&text(no)).await?;
        }
        self.moka.run_pending_tasks().await;
        Ok(())
    }
}

pub(super) fn raw<K: Eq + std::hash::Hash, V>() -> Raw<K, V> {
    raw_of(CAPACITY)
}

/// With room for so many entries.
pub(super) fn raw_of<K: Eq + std::hash::Hash, V>(capacity: usize) -> Raw<K, V> {
    let hasher = foldhash::fast::RandomState::default();
    let lifecycle = quick_cache::sync::DefaultLifecycle::default();
    let weighter = quick_cache::UnitWeighter;
    Raw::with(capacity, capacity as u64, weighter, hasher, lifecycle)
}
