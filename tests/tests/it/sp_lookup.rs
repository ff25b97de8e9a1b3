//! SP1 to SP5 and SP13: Spring's lookups and keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder::{Cache, Got, Key, Larder, LoadError, cacheable};
use larder_kit::{Gate, Step, Virtual};

use crate::shop::{FORMS, Shop};

/// Counts and numbers its answers, so that no two loads give the same.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>);

impl Counting {
    fn next(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn cache<K: Key>(time: &Virtual) -> Cache<K, usize> {
    let larder = Larder::builder().runtime(time.clone()).build();
    larder.unwrap().cache("lookups").build().unwrap()
}

#[cacheable(cache, key = key)]
async fn instance(cache: &Cache<u64, usize>, key: u64, source: &Counting) -> Arc<usize> {
    Arc::new(source.next())
}

#[test]
fn sp1_one_argument_gives_one_instance_three_times() {
    let time = Virtual::new();
    let (cache, source) = (cache(&time), Counting::default());
    time.block_on(async {
        for key in [1, 2] {
            let first = instance(&cache, key, &source).await;
            let second = instance(&cache, key, &source).await;
            let again = source.clone();
            let third = cache.get_or_load(&key, || async move { Arc::new(again.next()) });
            let third = third.await.unwrap();
            assert!(Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&second, &third));
        }
    });
    assert_eq!(source.count(), 2);
}

#[test]
fn sp2_a_null_result_is_cached_and_shown_as_a_null_entry() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.always(Step::absent());
        time.block_on(async {
            assert_eq!(shop.cache.get("a").await, Got::Unknown);
            for _ in 0..3 {
                assert_eq!(shop.seek(form, "a").await.unwrap(), None);
                assert_eq!(shop.cache.get("a").await, Got::KnownAbsent);
            }
        });
        assert_eq!(shop.source.calls(), 1);
    }
}

#[test]
fn sp3_a_null_result_of_concurrent_calls_is_loaded_once_for_all() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        let gate = Gate::closed();
        shop.source.always(Step::absent().at(&gate));
        let calls = [(); 3].map(|()| time.spawn(shop.seek(form, "a")));
        time.block_on(gate.arrived(1));
        gate.open();
        for call in calls {
            assert_eq!(time.block_on(call).unwrap(), None);
        }
        assert_eq!(time.block_on(shop.cache.get("a")), Got::KnownAbsent);
        assert_eq!(shop.source.calls(), 1);
    }
}

#[cacheable(cache, key = key)]
async fn of_null(cache: &Cache<Option<u64>, usize>, key: Option<u64>, source: &Counting) -> usize {
    source.next()
}

#[cacheable(cache, key = (left, right))]
async fn of_nulls(
    cache: &Cache<(Option<String>, Option<Option<u64>>), usize>,
    left: Option<String>,
    right: Option<Option<u64>>,
    source: &Counting,
) -> usize {
    source.next()
}

#[test]
fn sp4_null_is_a_key_like_any_other() {
    let time = Virtual::new();
    let (cache, source) = (cache(&time), Counting::default());
    time.block_on(async {
        for _ in 0..3 {
            for (key, expected) in [(None, 1), (Some(0), 2), (Some(1), 3)] {
                assert_eq!(of_null(&cache, key, &source).await, expected);
            }
        }
    });
    assert_eq!(cache.stats().entries, 3);
}

#[test]
fn sp4_nulls_among_several_arguments_are_told_apart() {
    let time = Virtual::new();
    let (cache, source) = (cache(&time), Counting::default());
    time.block_on(async {
        for _ in 0..2 {
            let mut expected = 0;
            for left in [None, Some(""), Some("null"), Some("~")] {
                for right in [None, Some(None), Some(Some(0))] {
                    expected += 1;
                    let left = left.map(str::to_owned);
                    assert_eq!(of_nulls(&cache, left, right, &source).await, expected);
                }
            }
        }
    });
}

#[test]
fn sp5_a_null_valued_function_runs_once_for_each_key() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.always(Step::absent());
        for _ in 0..3 {
            for key in ["a", "b", ""] {
                assert_eq!(time.block_on(shop.seek(form, key)).unwrap(), None);
                assert_eq!(shop.source.calls_of(key), 1);
            }
        }
    }
}

#[cacheable(cache, key = (region, no))]
async fn chosen(
    cache: &Cache<(String, u64), usize>,
    region: &str,
    noise: u64,
    no: u64,
    source: &Counting,
) -> Result<usize, LoadError> {
    Ok(source.next() + usize::from(noise > 100))
}

#[cacheable(cache, skip(cache, noise, source))]
async fn skipped(
    cache: &Cache<(String, u64), usize>,
    region: &str,
    noise: u64,
    no: u64,
    source: &Counting,
) -> Result<usize, LoadError> {
    Ok(source.next() + usize::from(noise > 100))
}

#[test]
fn sp13_the_key_is_of_the_chosen_arguments_only() {
    let time = Virtual::new();
    let (cache, source) = (cache(&time), Counting::default());
    time.block_on(async {
        assert_eq!(chosen(&cache, "north", 1, 5, &source).await.unwrap(), 1);
        assert_eq!(chosen(&cache, "north", 2, 5, &source).await.unwrap(), 1);
        assert_eq!(skipped(&cache, "north", 3, 5, &source).await.unwrap(), 1);
        assert_eq!(chosen(&cache, "south", 1, 5, &source).await.unwrap(), 2);
        assert_eq!(skipped(&cache, "south", 1, 5, &source).await.unwrap(), 2);
        assert_eq!(skipped(&cache, "south", 1, 6, &source).await.unwrap(), 3);
        assert_eq!(chosen(&cache, "south", 9, 6, &source).await.unwrap(), 3);
    });
}
