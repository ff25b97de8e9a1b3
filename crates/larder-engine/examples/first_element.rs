//! How much later the first element of a stream comes through a cache than without one.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a measurement on a terminal"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use futures_lite::{Stream, StreamExt, stream};
use larder_engine::{Cache, Larder, Smol};

const STREAMS: u64 = 2_000;
const ELEMENTS: u64 = 100;

fn source() -> impl Stream<Item = Result<u64, std::io::Error>> + Send {
    stream::iter(0..ELEMENTS).map(Ok)
}

/// The median time from the call to the first element.
async fn first<S: Stream + Unpin>(call: impl Fn(u64) -> S) -> Duration {
    let mut took = Vec::new();
    for key in 0..STREAMS {
        let began = Instant::now();
        let mut items = call(key);
        black_box(items.next().await);
        took.push(began.elapsed());
        // The rest, so that each stream begins alone.
        items.for_each(drop).await;
    }
    took.sort_unstable();
    took[took.len() / 2]
}

fn main() {
    let executor: &'static smol::Executor<'static> = Box::leak(Box::default());
    smol::block_on(executor.run(async {
        let larder = Larder::builder().runtime(Smol::on(executor));
        let larder = larder.build().unwrap();
        let lists: Cache<u64, Vec<u64>> = larder.cache("lists").build().unwrap();
        let alone = first(|_| Box::pin(source())).await;
        let led = first(|key| lists.get_or_stream(&key, source)).await;
        let held = first(|key| lists.get_or_stream(&key, source)).await;
        println!("alone {alone:?}, through the cache {led:?}, held {held:?}");
        println!("{:?}", lists.stats());
    }));
}
