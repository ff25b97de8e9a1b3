//! What is paid beside a hit: a miss with a load that is ready at once, a key as text, and a load that
//! many wait for.

use super::Plan;
use super::figure::Figure;
use super::subjects::{Raw, TTL, raw_of};
use crate::turns::{self, median};
use larder::{Cache, Key as _, LoadError, cacheable};
use rustix::time::{ClockId, clock_gettime};
use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// Something that is done many times, to be compared with the first of its group.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// The name of the part that its ratio is against.
    pub(super) against: &'static str,
    /// How many things one call does: callers of one load.
    pub(super) each: usize,
    run: Run,
}

impl Part {
    /// Whether it is larder that does it.
    pub(super) fn is_ours(&self) -> bool {
        let peers = ["quick_cache", "moka", "format!"];
        peers.iter().all(|peer| !self.name.contains(peer))
    }
}

type Run = for<'a> fn(&'a Parts, usize) -> Pin<Box<dyn Future<Output = anyhow::Result<()>> + 'a>>;

/// Callers of one load.
pub(super) const CALLERS: usize = 16;
const MISS: &str = "miss: quick_cache get, insert";
const TEXT: &str = "key: format!, u64";
/// What the verdicts are about.
pub(super) const SCOPED: &str = "miss: get_or_load_scoped";
pub(super) const DETACHED: &str = "miss: get_or_load, detached";
pub(super) const MOKA_MISS: &str = "miss: moka get_with";
pub(super) const MOKA_FLIGHT: &str = "flight: moka get_with, 16 callers";
pub(super) const FLIGHT: &str = "flight: get_or_load, 16 callers";

macro_rules! part {
    ($name:expr, $against:expr, $each:expr, |$parts:ident| $body:expr) => {
        Part {
            name: $name,
            against: $against,
            each: $each,
            run: |$parts, times| {
                Box::pin(async move {
                    for _ in 0..times {
                        black_box($body);
                    }
                    Ok(())
                })
            },
        }
    };
}

pub(super) const PARTS: [Part; 11] = [
    part!(MISS, MISS, 1, |parts| parts.raw_miss()),
    part!("miss: Cache::get", MISS, 1, |parts| {
        parts.cache.get(&fresh()).await
    }),
    part!(SCOPED, MISS, 1, |parts| {
        let no = fresh();
        parts.cache.get_or_load_scoped(&no, || async { no }).await?
    }),
    part!(DETACHED, MISS, 1, |parts| {
        let no = fresh();
        let load = move || async move { no };
        parts.cache.get_or_load(&no, load).await?
    }),
    part!("miss: #[cacheable], detached", MISS, 1, |_parts| {
        of_miss(fresh()).await?
    }),
    part!(MOKA_MISS, MISS, 1, |parts| {
        let no = fresh();
        parts.moka.get_with(no, async { Arc::new(no) }).await
    }),
    part!(TEXT, TEXT, 1, |_parts| format!("deals:{}", fresh())),
    part!("key: text of u64", TEXT, 1, |_parts| fresh().text()),
    part!("key: text of (u64, String)", TEXT, 1, |parts| {
        black_box(&parts.key).text()
    }),
    part!(MOKA_FLIGHT, MOKA_FLIGHT, CALLERS, |parts| {
        parts.flight_of_moka().await
    }),
    part!(FLIGHT, MOKA_FLIGHT, CALLERS, |parts| {
        parts.flight().await?
    }),
];

/// Keys that nobody has asked for.
fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// So small that it is soon full: what is measured then includes taking out an older entry.
pub(super) const CAPACITY: usize = 1_000;

static MISSES: LazyLock<Cache<u64, u64>> = LazyLock::new(|| cache("misses"));

fn cache(name: &'static str) -> Cache<u64, u64> {
    let cache = Cache::builder(name).ttl(TTL).capacity(CAPACITY).build();
    cache.expect("no cache of the benchmark bears a name twice")
}

#[cacheable(MISSES)]
async fn of_miss(no: u64) -> Result<Arc<u64>, LoadError> {
    Ok(Arc::new(no))
}

/// What the parts work on.
pub(super) struct Parts {
    raw: Raw<u64, u64>,
    cache: Cache<u64, u64>,
    moka: moka::future::Cache<u64, Arc<u64>>,
    key: (u64, String),
}

impl Parts {
    /// Once a process, because a cache's name is taken for good.
    pub(super) fn new() -> Self {
        let moka = moka::future::Cache::builder();
        Self {
            raw: raw_of(CAPACITY),
            cache: cache("parts"),
            moka: moka.max_capacity(CAPACITY as u64).time_to_live(TTL).build(),
            key: (5_196, "FUR-CH-10000454".to_owned()),
        }
    }

    fn raw_miss(&self) -> bool {
        let no = fresh();
        let missed = self.raw.get(&no).is_none();
        self.raw.insert(no, Arc::new(no));
        missed
    }

    async fn flight(&self) -> Result<(), LoadError> {
        let no = fresh();
        let (open, gate) = smol::channel::bounded::<()>(1);
        let call = || {
            let gate = gate.clone();
            let load = move || async move {
                let _opened = gate.recv().await;
                no
            };
            self.cache.get_or_load(&no, load)
        };
        for end in together((0..CALLERS).map(|_| call()), open).await {
            end?;
        }
        Ok(())
    }

    async fn flight_of_moka(&self) {
        let no = fresh();
        let (open, gate) = smol::channel::bounded::<()>(1);
        let call = || {
            let gate = gate.clone();
            let load = async move {
                let _opened = gate.recv().await;
                Arc::new(no)
            };
            self.moka.get_with(no, load)
        };
        black_box(together((0..CALLERS).map(|_| call()), open).await);
    }
}

/// Lets all calls come as far as they can before the load may go on, and waits for all of them.
async fn together<F: Future>(
    calls: impl Iterator<Item = F>,
    open: smol::channel::Sender<()>,
) -> Vec<F::Output> {
    let mut calls: Vec<_> = calls.map(Box::pin).collect();
    let mut ends = Vec::with_capacity(calls.len());
    for call in &mut calls {
        ends.push(smol::future::poll_once(call).await);
    }
    drop(open);
    let mut done = Vec::with_capacity(calls.len());
    for (call, end) in calls.into_iter().zip(ends) {
        done.push(match end {
            Some(end) => end,
            None => call.await,
        });
    }
    done
}

/// Measures every part, in rounds that each do all of them.
///
/// # Errors
/// When a load fails.
pub(super) fn measure(plan: &Plan) -> anyhow::Result<Vec<Figure>> {
    let parts = Parts::new();
    let mut times = vec![Vec::with_capacity(plan.rounds); PARTS.len()];
    for _ in 0..plan.rounds {
        for (part, times) in PARTS.iter().zip(&mut times) {
            // A load that runs elsewhere costs a thousand times a key.
            let calls = (plan.hits / 16 / part.each).max(1);
            times.push(time(part, &parts, calls)?);
        }
    }
    let figures = PARTS.iter().enumerate().map(|(at, part)| {
        let place = PARTS.iter().position(|other| other.name == part.against);
        let against = &times[place.unwrap_or(at)];
        Figure {
            subject: part.name.to_owned(),
            size: CAPACITY,
            nanoseconds: median(times[at].clone()),
            ratio: turns::ratio(&times[at], against, |time| *time),
            allocations: allocations(part, &parts),
        }
    });
    Ok(figures.collect())
}

/// Nanoseconds of all threads' processor time, for one of what the part does.
fn time(part: &Part, parts: &Parts, calls: usize) -> anyhow::Result<f64> {
    let start = process_time();
    smol::block_on((part.run)(parts, calls))?;
    Ok((process_time() - start).as_secs_f64() * 1e9 / (calls * part.each) as f64)
}

/// The processor time of all threads so far: a detached load runs in another one.
fn process_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Allocations of this thread, for one of what the part does.
fn allocations(part: &Part, parts: &Parts) -> f64 {
    const CALLS: usize = 64;
    let counted = |calls| {
        // A failure has been seen when it was timed.
        let run = || drop(smol::block_on((part.run)(parts, calls)));
        allocation_counter::measure(run).count_total
    };
    let nothing = counted(0);
    counted(CALLS).saturating_sub(nothing) as f64 / (CALLS * part.each) as f64
}
