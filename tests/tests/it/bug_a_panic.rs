//! bug-A3: a loader that panics harms nobody but those who wait for it.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

use larder::{Cache, Larder, LoadErrorKind, cacheable};
use larder_kit::{Gate, Step, Virtual};

use crate::shop::{FORMS, Shop};

#[test]
fn bug_a3_waiters_get_an_error_the_key_goes_on_and_others_never_notice() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        let gate = Gate::closed();
        shop.source.then(Step::panic("first").at(&gate));
        let calls = [(); 5].map(|()| time.spawn(shop.ask(form, "k")));
        time.run_until_idle();
        assert_eq!(
            time.block_on(shop.ask(form, "other")).unwrap(),
            "value-for-other"
        );
        gate.open();
        for call in calls {
            let error = time.block_on(call).unwrap_err();
            assert_eq!(error.kind(), LoadErrorKind::Panicked);
            assert!(error.to_string().contains("first"), "{error}");
        }
        assert_eq!(shop.source.calls_of("k"), 1);
        shop.source.then(Step::panic("second"));
        let error = time.block_on(shop.ask(form, "k")).unwrap_err();
        assert!(error.to_string().contains("second"), "{error}");
        assert_eq!(
            time.block_on(shop.ask(form, "other")).unwrap(),
            "value-for-other"
        );
        assert_eq!(time.block_on(shop.ask(form, "k")).unwrap(), "value-for-k");
        assert_eq!(shop.cache.stats().running, 0);
    }
}

#[cacheable(cache, key = key)]
async fn infallible(cache: &Cache<u64, u64>, key: u64, panics: bool) -> u64 {
    assert!(!panics, "as it was told");
    key
}

fn numbers(time: &Virtual) -> Cache<u64, u64> {
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    larder.cache("numbers").build().unwrap()
}

#[test]
fn bug_a3_callers_of_a_function_without_a_result_panic_with_it_and_the_key_goes_on() {
    let time = Virtual::new();
    let cache = numbers(&time);
    for _ in 0..2 {
        let call = AssertUnwindSafe(infallible(&cache, 7, true));
        let payload = catch_unwind(|| time.block_on({ call }.0)).unwrap_err();
        let text = payload.downcast_ref::<String>().expect("a text");
        assert!(text.contains("as it was told"), "{text}");
    }
    assert_eq!(time.block_on(infallible(&cache, 7, false)), 7);
    assert_eq!(cache.stats().running, 0);
}

/// What a loader may do on its way to a panic.
#[derive(Clone, Copy)]
enum Way {
    BeforeItsFuture,
    AtOnce,
    AfterAWait,
    WithoutAText,
    InItsDrop,
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("in its drop");
    }
}

fn load(way: Way) -> larder::BoxFuture<'static, u64> {
    match way {
        Way::BeforeItsFuture => panic!("before its future"),
        Way::AtOnce => Box::pin(async { panic!("at once") }),
        Way::AfterAWait => Box::pin(async {
            futures_lite::future::yield_now().await;
            panic!("after a wait")
        }),
        Way::WithoutAText => Box::pin(async { panic_any(7_u8) }),
        Way::InItsDrop => {
            let bomb = Bomb;
            Box::pin(async move {
                let _bomb = &bomb;
                7
            })
        }
    }
}

#[test]
fn bug_a3_wherever_the_loader_panics() {
    let ways = [
        Way::BeforeItsFuture,
        Way::AtOnce,
        Way::AfterAWait,
        Way::WithoutAText,
        Way::InItsDrop,
    ];
    for way in ways {
        let time = Virtual::new();
        let cache = numbers(&time);
        for _ in 0..2 {
            let error = time.block_on(cache.get_or_load(&1, move || load(way)));
            assert_eq!(error.unwrap_err().kind(), LoadErrorKind::Panicked);
        }
        let good = time.block_on(cache.get_or_load(&1, || async { 8 }));
        assert_eq!(good.unwrap(), 8);
        let stats = cache.stats();
        assert_eq!((stats.running, stats.failed, stats.loaded), (0, 2, 1));
    }
}
