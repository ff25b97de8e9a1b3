//! What callers call, and what they do with it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use larder::{Cache, Change, Fetched, Larder, Outcome, Runtime, Why};
use larder_core::{Clock, Moment};
use smol::future::zip;
use smol::{LocalExecutor, block_on};

use super::{KEYS, Seen};

pub(super) struct Shared {
    pub(super) cache: Cache<u64, Numbered>,
    pub(super) near: Cache<u64, Numbered>,
    pub(super) runtime: Arc<dyn Runtime>,
    pub(super) clock: Clock,
    pub(super) source: [Key; KEYS],
    pub(super) seen: Mutex<Seen>,
    pub(super) changing: AtomicBool,
    /// A change may be.
    pub(super) under_way: AtomicBool,
    pub(super) over: AtomicBool,
    pub(super) _larder: Larder,
}

/// Which key a value is of, and its version.
type Numbered = (usize, u64);

type Answer = Result<Fetched<Numbered>, larder::LoadError>;

#[derive(Default)]
pub(super) struct Key {
    /// What the source says.
    pub(super) version: AtomicU64,
    /// No call that starts now may give less.
    pub(super) least: AtomicU64,
    /// When something was last given by the far tier, or taken by it.
    pub(super) served: Mutex<Option<Moment>>,
    pub(super) changed: Mutex<Option<Moment>>,
}

const CALLERS: usize = 6;
/// Between two calls of one caller.
const PAUSE: Duration = Duration::from_millis(1);

impl Shared {
    pub(super) fn run(self: Arc<Self>) {
        let executor = LocalExecutor::new();
        let tasks: Vec<_> = (0..CALLERS as u64)
            .map(|caller| executor.spawn(self.call(caller)))
            .chain([executor.spawn(self.change())])
            .collect();
        block_on(executor.run(async {
            for task in tasks {
                task.await;
            }
        }));
    }

    async fn call(self: &Arc<Self>, caller: u64) {
        let mut random = fastrand::Rng::with_seed(caller);
        while !self.over.load(Ordering::Relaxed) {
            let number = random.usize(..KEYS);
            let key = &self.source[number];
            let least = key.least.load(Ordering::SeqCst);
            let began = self.clock.now();
            let source = Arc::clone(self);
            // Not before it is called: it is the source that it reads.
            let load = move || async move {
                (number, source.source[number].version.load(Ordering::SeqCst))
            };
            let key = number as u64;
            if random.u8(0..4) == 0 {
                let end = self.near.fetch(&key, load).await;
                self.check(number, least, began, &end);
            } else {
                let end = self.cache.fetch(&key, load).await;
                self.check(number, least, began, &end);
                self.note(number, end);
            }
            self.runtime.sleep(PAUSE).await;
        }
    }

    /// What may be said of an answer of either cache.
    fn check(&self, number: usize, least: u64, began: Moment, end: &Answer) {
        let now = self.clock.now();
        let mut seen = self.seen.lock().unwrap();
        seen.calls += 1;
        seen.longest = seen.longest.max(now.since(began));
        match end {
            Ok(fetched) => {
                let (key, version) = fetched.value;
                if key != number || version < least {
                    let Fetched { value, outcome, .. } = fetched;
                    let wrong = format!("{number}: {value:?}, at least {least}: {outcome:?}");
                    seen.wrong.push(wrong);
                }
            }
            Err(error) => seen.errors.push(error.to_string()),
        }
    }

    /// How the cache that asks each time came to an answer.
    fn note(&self, number: usize, end: Answer) {
        let Ok(fetched) = end else { return };
        let now = self.clock.now();
        let mut seen = self.seen.lock().unwrap();
        let (how, served) = match fetched.outcome {
            Outcome::Loaded { why, .. } => (why.name(), !matches!(why, Why::FarDown | Why::Fenced)),
            Outcome::Far { .. } => ("far", true),
            other => (other.detail(), false),
        };
        *seen.how.entry(how).or_default() += 1;
        if served {
            *self.source[number].served.lock().unwrap() = Some(now);
        } else if how != "joined" {
            let first = seen.past.map_or(now, |(first, _)| first);
            seen.past = Some((first, now));
            *seen.keys.entry(number).or_default() += 1;
        }
    }

    async fn change(&self) {
        let mut random = fastrand::Rng::with_seed(99);
        while !self.over.load(Ordering::Relaxed) {
            self.runtime.sleep(PAUSE).await;
            self.under_way.store(true, Ordering::SeqCst);
            if !self.changing.load(Ordering::SeqCst) {
                self.under_way.store(false, Ordering::SeqCst);
                continue;
            }
            let number = random.usize(..KEYS);
            let key = &self.source[number];
            let version = key.version.fetch_add(1, Ordering::SeqCst) + 1;
            let began = self.clock.now();
            let name = number as u64;
            let both = zip(self.cache.invalidate(&name), self.near.invalidate(&name));
            let (change, _) = both.await;
            key.least.store(version, Ordering::SeqCst);
            let now = self.clock.now();
            let mut seen = self.seen.lock().unwrap();
            seen.change = seen.change.max(now.since(began));
            match change {
                Change::Done => *key.changed.lock().unwrap() = Some(now),
                _ => seen.queued += 1,
            }
        }
    }
}
