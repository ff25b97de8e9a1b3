//! What an entry takes beside its value: the bytes that a full cache holds, by the allocator's count.

use super::subjects::{CAPACITY, Raw, TTL, raw};
use larder::{Cache, Loaded};
use larder_report::{Table, number};
use std::sync::Arc;

/// Tags of an entry in the caches that are measured.
const TAGS: [usize; 3] = [0, 1, 4];

/// What an entry of one kind of cache takes.
pub(super) struct Room {
    name: String,
    /// Bytes an entry, beside its value.
    pub(super) bytes: f64,
}

/// Fills each kind of cache to its capacity with one shared value: quick_cache first, then ours with
/// more and more tags, then the peers.
///
/// # Errors
/// When a load fails.
pub(super) fn measure() -> anyhow::Result<Vec<Room>> {
    let room = |name: &str, bytes| Room {
        name: name.to_owned(),
        bytes,
    };
    let mut rooms = vec![room("quick_cache, u64", of_raw())];
    for tags in TAGS {
        let name = match tags {
            1 => "larder, u64, 1 tag".to_owned(),
            _ => format!("larder, u64, {tags} tags"),
        };
        rooms.push(room(&name, of_cache(tags)?));
    }
    rooms.push(room("moka::future, u64", of_moka()));
    Ok(rooms)
}

/// A row for each kind of cache.
pub(super) fn table(rooms: &[Room]) -> Table {
    let title = format!("Bytes of an entry beside its value, of {CAPACITY} entries");
    let mut table = Table::new(title, ["cache", "bytes"]);
    for room in rooms {
        table.row([room.name.clone(), number(room.bytes)]);
    }
    table
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
