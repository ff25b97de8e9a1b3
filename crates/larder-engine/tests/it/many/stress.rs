//! Batches, single calls and changes on real threads, under the checker.

use std::future::Future;
use std::sync::Arc;
use std::thread;

use futures_lite::future::{block_on, yield_now};
use larder_core::Runtime;
use larder_engine::{Cache, Larder, Smol};

use crate::history::History;
use crate::stress::with_executor;

const THREADS: u64 = 4;
const KEYS: u64 = THREADS * 2;
const STEPS: usize = 3_000;

type Numbers = Cache<u64, u64>;

fn load(
    history: &Arc<History>,
    keys: Vec<u64>,
    pauses: u64,
) -> impl Future<Output = Vec<(u64, u64)>> + Send + use<> {
    let history = Arc::clone(history);
    async move {
        let found: Vec<_> = keys
            .iter()
            .map(|key| (*key, history.source(*key)))
            .collect();
        for _ in 0..pauses {
            thread::yield_now();
            yield_now().await;
        }
        found
    }
}

async fn write(cache: &Numbers, history: &History, key: u64, how: u64) {
    let announce = async |version| {
        let _ = match how % 4 {
            0 => cache.put_many([(&key, version)]).await,
            1 => cache.invalidate(&key).await,
            _ => cache.invalidate_many(&[key, key ^ 1]).await,
        };
    };
    history.write_by(key, announce).await;
}

async fn read(cache: &Numbers, history: &Arc<History>, random: u64) {
    let keys: Vec<u64> = (0..1 + random % 5)
        .map(|at| (random >> (8 + 4 * at)) % KEYS)
        .collect();
    let (source, pauses) = (Arc::clone(history), random >> 60);
    let read = async {
        let run = move |missing| load(&source, missing, pauses % 3);
        let found = match random >> 58 & 3 {
            0 => cache.get_or_load_many_scoped(&keys, run).await,
            _ => cache.get_or_load_many(&keys, run).await,
        };
        found
            .into_iter()
            .map(|found| found.ok().flatten().map(|value| *value))
            .collect()
    };
    history.read_each(&keys, read).await;
}

async fn step(me: u64, random: u64, cache: &Numbers, history: &Arc<History>) {
    let (kind, rest) = (random % 8, random >> 3);
    match kind {
        0 | 1 => write(cache, history, me * 2 + rest % 2, rest >> 1).await,
        2 => {
            let (key, source) = (rest % KEYS, Arc::clone(history));
            let load = async move { load(&source, vec![key], 1).await[0].1 };
            history.read(cache, key, load).await;
        }
        _ => read(cache, history, rest).await,
    }
}

#[test]
fn m1_no_thread_sees_in_a_batch_what_was_invalidated_before() {
    with_executor(|executor| {
        let larder = Larder::builder().runtime(Smol::on(executor));
        let cache: Numbers = larder.build().unwrap().cache("batches").build().unwrap();
        let history = Arc::new(History::new(KEYS));
        thread::scope(|scope| {
            for me in 0..THREADS {
                let (cache, history) = (&cache, &history);
                scope.spawn(move || {
                    let random = Smol::global();
                    for _ in 0..STEPS {
                        block_on(step(me, random.random(), cache, history));
                    }
                });
            }
        });
        assert_eq!(history.broken(), [""; 0]);
        let stats = cache.stats();
        let reached = [stats.near, stats.loaded, stats.joined, stats.refused];
        assert!(reached.iter().all(|count| *count > 0), "{stats:?}");
        assert_eq!((stats.failed, stats.running), (0, 0));
    });
}
