//! Streams on real threads, under the checker: all elements of one stream are of one version.

use std::sync::Arc;
use std::thread;

use futures_lite::future::{block_on, yield_now};
use futures_lite::{StreamExt, stream};
use larder_core::Runtime;
use larder_engine::{Cache, CallOptions, Larder, Smol};

use super::source::Lists;
use crate::history::History;
use crate::stress::with_executor;

const THREADS: u64 = 4;
const KEYS: u64 = THREADS;
const STEPS: usize = 2_000;
const ELEMENTS: u64 = 8;

async fn write(cache: &Lists, history: &History, key: u64, how: u64) {
    let announce = async |version| {
        let _ = match how % 4 {
            0 => cache.put(&key, vec![version; ELEMENTS as usize]).await,
            1 => cache.clear().await,
            _ => cache.invalidate(&key).await,
        };
    };
    history.write_by(key, announce).await;
}

/// Some of a stream, or all of it.
async fn read(cache: &Lists, history: &Arc<History>, key: u64, random: u64) {
    let source = Arc::clone(history);
    let source = move || {
        let version = source.source(key);
        stream::iter(0..ELEMENTS).then(move |at| async move {
            if at % 3 == random % 3 {
                thread::yield_now();
                yield_now().await;
            }
            Ok::<_, &str>(version)
        })
    };
    let options = match random >> 8 & 3 {
        0 => CallOptions::new().cancel(),
        _ => CallOptions::new(),
    };
    let most = match random >> 16 & 3 {
        0 => 1 + random as usize % ELEMENTS as usize,
        _ => usize::MAX,
    };
    let read = async {
        let items = cache.get_or_stream_with(&key, options, source);
        let seen: Vec<u64> = items.take(most).map(Result::unwrap).collect().await;
        assert_eq!(seen.len(), most.min(ELEMENTS as usize), "nothing is lost");
        assert!(
            seen.iter().all(|item| *item == seen[0]),
            "{seen:?} is of two versions"
        );
        vec![Some(seen[0])]
    };
    history.read_each(&[key], read).await;
}

#[test]
fn m2_no_thread_is_streamed_what_was_invalidated_before() {
    with_executor(|executor| {
        let larder = Larder::builder().runtime(Smol::on(executor));
        let cache: Cache<_, _> = larder.build().unwrap().cache("streams").build().unwrap();
        let history = Arc::new(History::new(KEYS));
        thread::scope(|scope| {
            for me in 0..THREADS {
                let (cache, history) = (&cache, &history);
                scope.spawn(move || {
                    let random = Smol::global();
                    for _ in 0..STEPS {
                        let (kind, any) = (random.random(), random.random());
                        block_on(async {
                            match kind % 8 {
                                0 => write(cache, history, me, any).await,
                                _ => read(cache, history, kind / 8 % KEYS, any).await,
                            }
                        });
                    }
                });
            }
        });
        assert_eq!(history.broken(), [""; 0]);
        let stats = cache.stats();
        let reached = [stats.near, stats.loaded, stats.joined];
        assert!(reached.iter().all(|count| *count > 0), "{stats:?}");
        assert_eq!(stats.failed, 0);
    });
}
