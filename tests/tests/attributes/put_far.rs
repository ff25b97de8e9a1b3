//! Puts and evictions over two tiers, as another node sees them.

use std::time::Duration;

use larder::{Cache, Got, Larder, LoadError, Shelf, cache_evict, cache_put, cacheable};
use larder_kit::Virtual;

/// Reads what others have written, and holds nothing itself.
struct Reader {
    numbers: Cache<u64, u64>,
    shelf: Shelf,
    _larder: Larder,
}

#[derive(Clone)]
struct Writer {
    numbers: Cache<u64, u64>,
    larder: Larder,
}

fn larder(time: &Virtual, shelf: &Shelf) -> Larder {
    let larder = Larder::builder().runtime(time.clone()).far(shelf.clone());
    larder.build().expect("the defaults are in range")
}

fn nodes(time: &Virtual) -> (Writer, Reader) {
    let shelf = Shelf::new(time.runtime().as_ref());
    let (one, two) = (larder(time, &shelf), larder(time, &shelf));
    let ttl = Duration::from_secs(60);
    let writer = one.cache("numbers").ttl(ttl).far().build();
    let reader = two.cache("numbers").ttl(ttl).far_only().build();
    let writer = Writer {
        numbers: writer.expect("it has a ttl"),
        larder: one,
    };
    let reader = Reader {
        numbers: reader.expect("it has a ttl"),
        shelf,
        _larder: two,
    };
    (writer, reader)
}

impl Writer {
    #[cacheable(self.numbers, key = no, tags = |value| [value % 2])]
    async fn load(&self, no: u64, value: u64) -> u64 {
        value
    }

    #[cache_put(self.numbers, key = no, unless = |value| *value == 0)]
    async fn put(&self, no: u64, value: u64) -> Result<u64, LoadError> {
        if value == 1 {
            return Err(LoadError::source("refused"));
        }
        Ok(value)
    }

    #[cache_put(self.numbers, key = |value| value / 10)]
    async fn put_by_value(&self, value: u64) -> u64 {
        value
    }

    #[cache_evict(self.numbers, tags = [0], key = no)]
    async fn evict(&self, no: u64) {}
}

impl Reader {
    async fn sees(&self, no: u64) -> Option<u64> {
        self.numbers.get(&no).await.value().map(|value| *value)
    }
}

fn over_two_tiers<F: Future<Output = ()>>(test: impl FnOnce(Writer, Reader) -> F) {
    let time = Virtual::new();
    let (writer, reader) = nodes(&time);
    let held = writer.larder.clone();
    time.block_on(test(writer, reader));
    drop(held);
}

#[test]
fn a_put_is_seen_by_other_nodes() {
    over_two_tiers(|writer, reader| async move {
        assert_eq!(writer.put(5, 50).await.ok(), Some(50));
        assert_eq!(reader.sees(5).await, Some(50));
        assert!(writer.put(5, 1).await.is_err());
        assert_eq!(reader.sees(5).await, Some(50), "an error puts nothing");
        assert_eq!(writer.put(5, 51).await.ok(), Some(51));
        assert_eq!(reader.sees(5).await, Some(51));
        assert_eq!(writer.put(5, 0).await.ok(), Some(0));
        assert_eq!(reader.sees(5).await, None, "what is not kept ends what was");
    });
}

#[test]
fn a_failed_put_leaves_nothing_behind() {
    over_two_tiers(|writer, reader| async move {
        assert_eq!(writer.load(1, 10).await, 10);
        let keys = reader.shelf.keys();
        for no in 2..10 {
            assert!(writer.put(no, 1).await.is_err());
        }
        assert_eq!(reader.shelf.keys(), keys, "their tickets are let go");
    });
}

#[test]
fn a_put_by_the_value_fills_its_node_and_deletes_what_others_see() {
    over_two_tiers(|writer, reader| async move {
        assert_eq!(writer.load(5, 49).await, 49);
        assert_eq!(reader.sees(5).await, Some(49));
        assert_eq!(writer.put_by_value(50).await, 50);
        assert_eq!(reader.sees(5).await, None);
        assert_eq!(writer.load(5, 99).await, 50, "it is near");
    });
}

#[test]
fn tags_and_keys_are_evicted_for_all_nodes() {
    over_two_tiers(|writer, reader| async move {
        for (no, value) in [(1, 10), (2, 21), (3, 31)] {
            assert_eq!(writer.load(no, value).await, value);
        }
        writer.evict(2).await;
        let seen = [
            reader.sees(1).await,
            reader.sees(2).await,
            reader.sees(3).await,
        ];
        assert_eq!(seen, [None, None, Some(31)]);
        assert_eq!(reader.numbers.get(&1).await, Got::Unknown);
    });
}
