//! A source with versions behind a cache, and threads that check what they get.

use std::sync::Arc;
use std::time::Duration;

use larder_core::far::Abilities;
use larder_core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use larder_engine::{Cache, CacheBuilder, Larder, LarderBuilder};
use larder_kit::{Able, Interleaved};
use larder_memory::Shelf;
use shuttle::future::block_on;
use shuttle::thread::{self, JoinHandle};

pub(super) const KEY: u64 = 5;

/// Clones are the same shop.
#[derive(Clone)]
pub(super) struct Shop {
    pub(super) cache: Cache<u64, u64>,
    time: Interleaved,
    source: Arc<Source>,
}

struct Source {
    version: AtomicU64,
    /// The newest version of which a call has returned that made all older ones invalid.
    floor: AtomicU64,
    loads: AtomicUsize,
}

impl Shop {
    pub(super) fn near() -> Self {
        let time = Interleaved::new();
        let cache = cache(Larder::builder(), &time);
        Self::of(cache, time)
    }

    /// With a far tier, and no other node.
    pub(super) fn far() -> Self {
        let time = Interleaved::new();
        let shelf = Shelf::new(&time);
        let guards = Abilities::default().guarded(&Arc::new(shelf.clone()));
        let larder = Larder::builder().far(Able::new(shelf, guards));
        let cache = cache(larder, &time).far();
        Self::of(cache, time)
    }

    fn of(cache: CacheBuilder<u64, u64>, time: Interleaved) -> Self {
        Self {
            cache: cache.build().unwrap(),
            time,
            source: Arc::new(Source {
                version: AtomicU64::new(1),
                floor: AtomicU64::new(1),
                loads: AtomicUsize::new(0),
            }),
        }
    }

    /// The source's next version.
    pub(super) fn change(&self) -> u64 {
        self.source.version.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Says that a call has returned before which the source was at `version`.
    pub(super) fn over(&self, version: u64) {
        self.source.floor.fetch_max(version, Ordering::SeqCst);
    }

    /// What a call gets; never older than what was over when it began.
    pub(super) async fn read(&self) -> u64 {
        let floor = self.source.floor.load(Ordering::SeqCst);
        let source = Arc::clone(&self.source);
        let load = move || async move {
            source.loads.fetch_add(1, Ordering::SeqCst);
            source.version.load(Ordering::SeqCst)
        };
        let got = self.cache.get_or_load(&KEY, load).await.unwrap();
        assert!(got >= floor, "got {got} after {floor}");
        got
    }

    /// A thread that reads so many times.
    pub(super) fn reader(&self, times: usize) -> JoinHandle<()> {
        self.thread(move |shop| {
            for _ in 0..times {
                block_on(shop.read());
            }
        })
    }

    pub(super) fn thread(&self, act: impl FnOnce(Self) + Send + 'static) -> JoinHandle<()> {
        let shop = self.clone();
        thread::spawn(move || act(shop))
    }

    /// When the threads have ended, the newest version is read. Then the cache goes, and with it all
    /// of its tasks. Gives how many loads there were.
    pub(super) fn close(self, threads: impl IntoIterator<Item = JoinHandle<()>>) -> usize {
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        let newest = self.source.version.load(Ordering::SeqCst);
        assert_eq!(block_on(self.read()), newest);
        let (time, source) = (self.time.clone(), Arc::clone(&self.source));
        drop(self);
        block_on(time.rest());
        source.loads.load(Ordering::SeqCst)
    }
}

fn cache(larder: LarderBuilder, time: &Interleaved) -> CacheBuilder<u64, u64> {
    let larder = larder.runtime(time.clone()).build().unwrap();
    larder
        .cache("shop")
        .capacity(4)
        .ttl(Duration::from_secs(60))
}
