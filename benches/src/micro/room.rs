//! What an entry takes beside its value: the bytes that a full cache holds, by the allocator's count.

use super::subjects::{CAPACITY, Raw, TTL, raw};
use larder::{Cache, Loaded};
use std::fmt::Write as _;
use std::sync::Arc;

/// Tags of an entry in the caches that are measured.
const TAGS: [usize; 3] = [0, 1, 4];

/// A line for each kind of cache, filled to its capacity with one shared value.
///
/// # Errors
/// When a load fails.
pub(super) fn render() -> anyhow::Result<String> {
    let mut text = format!("bytes per entry beside its value, of {CAPACITY} entries\n");
    let raw = of_raw();
    writeln!(text, "{:<33} {raw:>7.1}", "quick_cache, u64")?;
    for tags in TAGS {
        let bytes = of_cache(tags)?;
        let name = format!("larder, u64, {tags} tags");
        writeln!(text, "{name:<33} {bytes:>7.1}")?;
    }
    let bytes = of_moka();
    writeln!(text, "{:<33} {bytes:>7.1}", "moka::future, u64")?;
    Ok(text)
}

fn of_raw() -> f64 {
    let value = Arc::new(0_u64);
    held(|| {
        let cache: Raw<u64, u64> = raw();
        for no in 0..CAPACITY as u64 {
            cache.insert(no, Arc::clone(&value));
        }
        cache
    })
}

fn of_cache(tags: usize) -> anyhow::Result<f64> {
    let value = Arc::new(0_u64);
    let tags: Vec<_> = (0..tags).map(|tag| format!("tag-{tag}")).collect();
    let cache = Cache::builder(format!("room of {} tags", tags.len()));
    let cache = cache.ttl(TTL).capacity(CAPACITY);
    let mut end = Ok(());
    let fill = || {
        let cache: Cache<u64, u64> = cache.build().expect("every name is used once");
        end = smol::block_on(async {
            for no in 0..CAPACITY as u64 {
                // Scoped: in this thread, whose allocations are counted.
                let loaded = Loaded::new(Arc::clone(&value));
                let loaded = tags.iter().fold(loaded, |loaded, tag| loaded.tag(tag));
                let load = || async { loaded };
                cache.get_or_load_scoped(&no, load).await?;
            }
            Ok(())
        });
        cache
    };
    let bytes = held(fill);
    end.map(|()| bytes)
}

fn of_moka() -> f64 {
    let value = Arc::new(0_u64);
    held(|| {
        let builder = moka::future::Cache::builder();
        let cache = builder
            .max_capacity(CAPACITY as u64)
            .time_to_live(TTL)
            .build();
        smol::block_on(async {
            for no in 0..CAPACITY as u64 {
                cache.insert(no, Arc::clone(&value)).await;
            }
            cache.run_pending_tasks().await;
        });
        cache
    })
}

/// Bytes an entry that what `make` returns holds.
fn held<T>(make: impl FnOnce() -> T) -> f64 {
    let mut made = None;
    let counted = allocation_counter::measure(|| made = Some(make()));
    drop(made);
    counted.bytes_current as f64 / CAPACITY as f64
}
