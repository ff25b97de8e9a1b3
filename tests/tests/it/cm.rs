//! CM: the single-value cached call of reactor-addons.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_lite::future::poll_once;
use larder::Cache;
use larder_kit::{Step, Virtual};

use crate::shop::{EVICTS, FORMS, Shop};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn cm1_a_miss_loads_once_stores_and_returns_and_a_second_call_hits() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        for _ in 0..2 {
            assert_eq!(time.block_on(shop.ask(form, "a")).unwrap(), "value-for-a");
            assert_eq!(shop.source.calls(), 1);
            assert!(time.block_on(shop.holds("a")));
        }
        let stats = shop.cache.stats();
        assert_eq!((stats.loaded, stats.joined), (1, 0));
    }
}

#[test]
fn cm2_distinct_keys_load_and_are_stored_separately_with_one_delay_each() {
    for form in FORMS {
        let time = Virtual::auto();
        let shop = Shop::new(&time);
        shop.source.always(Step::echo().after(SECOND));
        let start = time.now();
        for round in 0..2 {
            for (index, key) in ["a", "b", "c"].into_iter().enumerate() {
                let value = time.block_on(shop.ask(form, key)).unwrap();
                assert_eq!(value, format!("value-for-{key}"));
                let waited = if round == 0 { index as u32 + 1 } else { 3 };
                assert_eq!(time.now().since(start), SECOND * waited);
            }
        }
        assert_eq!(shop.source.calls(), 3);
    }
}

#[test]
fn cm3_a_key_filled_before_is_not_loaded_and_others_are() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        time.block_on(async {
            shop.cache.put("a", "filled".to_owned()).await;
            shop.cache.put("b", None::<String>).await;
            assert_eq!(shop.ask(form, "a").await.unwrap(), "filled");
            assert_eq!(shop.seek(form, "b").await.unwrap(), None);
            assert_eq!(shop.source.calls(), 0);
            assert_eq!(shop.ask(form, "c").await.unwrap(), "value-for-c");
            assert_eq!(shop.source.calls(), 1);
        });
    }
}

#[test]
fn cm4_an_empty_result_is_stored_and_given_again() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.always(Step::absent());
        for _ in 0..4 {
            assert_eq!(time.block_on(shop.seek(form, "a")).unwrap(), None);
        }
        assert_eq!(shop.source.calls(), 1);
    }
}

#[test]
fn cm6_a_call_does_nothing_before_it_is_polled() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        let (left, dropped) = (shop.ask(form, "a"), shop.ask(form, "b"));
        drop(dropped);
        time.run_until_idle();
        assert_eq!(shop.source.calls(), 0);
        assert_eq!(shop.cache.stats(), Default::default());
        assert_eq!(time.block_on(left).unwrap(), "value-for-a");
    }
}

#[test]
fn cm6_a_change_does_nothing_before_it_is_polled() {
    let time = Virtual::new();
    let shop = Shop::new(&time);
    time.block_on(shop.cache.put("a", "kept".to_owned()));
    for how in EVICTS {
        drop(shop.evict(how, "a"));
    }
    assert!(time.block_on(shop.holds("a")));
    assert_eq!(shop.source.calls(), 0);
}

#[test]
fn cm7_a_cached_call_is_reusable() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        let call = || shop.ask(form, "a");
        for expected in [(1, 0), (1, 1), (1, 2)] {
            assert_eq!(time.block_on(call()).unwrap(), "value-for-a");
            let stats = shop.cache.stats();
            assert_eq!((stats.loaded, stats.near), expected);
        }
    }
}

#[test]
fn cm8_the_source_is_read_at_the_miss_and_sees_the_state_of_then() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        let mut call = shop.ask(form, "a");
        shop.source.then(Step::value("later"));
        assert!(time.block_on(poll_once(&mut call)).is_none());
        assert_eq!(time.block_on(call).unwrap(), "later");
    }
}

#[test]
fn cm8_what_is_ready_was_captured_early() {
    let time = Virtual::new();
    let cache = numbers(&time);
    let state = AtomicU64::new(1);
    let ready = std::future::ready(state.load(Ordering::SeqCst));
    let call = cache.get_or_load(&1, move || ready);
    state.store(2, Ordering::SeqCst);
    assert_eq!(time.block_on(call).unwrap(), 1);
}

#[test]
fn cm9_neither_the_loader_nor_what_makes_it_is_called_on_a_hit() {
    let time = Virtual::new();
    let cache = numbers(&time);
    let made = Arc::new(AtomicU64::new(0));
    for _ in 0..5 {
        let made = Arc::clone(&made);
        let call = cache.get_or_load(&1, move || {
            made.fetch_add(1, Ordering::SeqCst);
            async { 7 }
        });
        assert_eq!(time.block_on(call).unwrap(), 7);
    }
    assert_eq!(made.load(Ordering::SeqCst), 1);
    for form in FORMS {
        let shop = Shop::new(&time);
        time.block_on(shop.cache.put("a", "kept".to_owned()));
        shop.source.always(Step::panic("it was called"));
        assert_eq!(time.block_on(shop.ask(form, "a")).unwrap(), "kept");
    }
}

fn numbers(time: &Virtual) -> Cache<u64, u64> {
    let larder = larder::Larder::builder().runtime(time.clone()).build();
    larder.unwrap().cache("numbers").build().unwrap()
}
