//! bug-A1, A7, A9 and A10: one load for all who ask, whoever leaves and however it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::Duration;

use larder::{Cache, Larder, LoadErrorKind, cacheable};
use larder_kit::{Gate, Spawned, Step, Virtual};

use crate::shop::{FORMS, Form, Shop, Trouble};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

type Running = Spawned<Result<String, Trouble>>;

fn ask(time: &Virtual, shop: &Shop, form: Form) -> Running {
    time.spawn(shop.ask(form, "k"))
}

/// All have ended by now with the value.
fn all_have_it(time: &Virtual, calls: impl IntoIterator<Item = Running>) {
    for call in calls {
        assert!(call.is_finished());
        assert_eq!(time.block_on(call).unwrap(), "value-for-k");
    }
}

#[test]
fn bug_a1_the_caller_that_started_the_load_leaves_and_the_others_do_not_notice() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.always(Step::echo().after(ms(500)));
        let first = ask(&time, &shop, form);
        time.advance(ms(50));
        let others = [(); 10].map(|()| ask(&time, &shop, form));
        time.advance(ms(50));
        first.cancel();
        time.advance(ms(600));
        all_have_it(&time, others);
        assert_eq!(shop.source.calls(), 1);
    }
}

#[test]
fn bug_a1_it_does_not_matter_when_it_leaves() {
    for form in FORMS {
        for leaves in [0, 1, 250, 499, 500] {
            let time = Virtual::new();
            let shop = Shop::new(&time);
            shop.source.always(Step::echo().after(ms(500)));
            let first = ask(&time, &shop, form);
            let other = ask(&time, &shop, form);
            time.run_until_idle();
            time.advance(ms(leaves));
            first.cancel();
            time.advance(ms(500 - leaves));
            all_have_it(&time, [other]);
            assert_eq!(shop.source.calls(), 1, "left after {leaves} ms");
        }
    }
}

#[test]
fn bug_a1_all_may_leave_and_the_result_is_still_kept_for_who_comes_later() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.always(Step::echo().after(ms(500)));
        let calls = [(); 10].map(|()| ask(&time, &shop, form));
        time.advance(ms(100));
        calls.into_iter().for_each(Spawned::cancel);
        time.advance(ms(100));
        let late = ask(&time, &shop, form);
        time.advance(ms(300));
        all_have_it(&time, [late]);
        assert!(time.block_on(shop.holds("k")));
        assert_eq!(shop.source.calls(), 1);
    }
}

#[test]
fn bug_a1_half_of_the_waiters_leave_one_after_another() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.always(Step::echo().after(ms(500)));
        let mut stay = Vec::new();
        let mut leave = Vec::new();
        for index in 0..20 {
            let call = ask(&time, &shop, form);
            if index % 2 == 0 {
                &mut leave
            } else {
                &mut stay
            }
            .push(call);
        }
        for call in leave {
            time.advance(ms(10));
            call.cancel();
        }
        time.advance(ms(400));
        all_have_it(&time, stay);
        assert_eq!(shop.source.calls(), 1);
        assert_eq!(shop.cache.stats().abandoned, 10);
    }
}

#[cacheable(cache, key = key)]
async fn with_effect(cache: &Cache<u64, u64>, key: u64, effects: &Arc<AtomicUsize>) -> u64 {
    effects.fetch_add(1, Ordering::SeqCst);
    futures_lite::future::yield_now().await;
    key * 2
}

#[test]
fn bug_a7_nothing_of_the_loader_runs_on_a_hit() {
    let time = Virtual::new();
    let larder = Larder::builder().runtime(time.clone()).build().unwrap();
    let cache = larder.cache("effects").build().unwrap();
    let effects = Arc::new(AtomicUsize::new(0));
    for _ in 0..101 {
        assert_eq!(time.block_on(with_effect(&cache, 7, &effects)), 14);
        let (made, of) = (Arc::clone(&effects), Arc::clone(&effects));
        let call = cache.get_or_load(&7, move || {
            made.fetch_add(1, Ordering::SeqCst);
            async move {
                of.fetch_add(1, Ordering::SeqCst);
                0
            }
        });
        assert_eq!(time.block_on(call).unwrap(), 14);
    }
    assert_eq!(effects.load(Ordering::SeqCst), 1);
    for form in FORMS {
        let shop = Shop::new(&time);
        for _ in 0..101 {
            time.block_on(shop.ask(form, "k")).unwrap();
        }
        assert_eq!(shop.source.calls(), 1);
    }
}

#[test]
fn bug_a9_two_hundred_calls_of_a_cold_key_load_once() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.always(Step::echo().after(ms(300)));
        let calls = [(); 200].map(|()| ask(&time, &shop, form));
        time.advance(ms(300));
        all_have_it(&time, calls);
        assert_eq!(shop.source.calls(), 1);
        let stats = shop.cache.stats();
        assert_eq!((stats.loaded, stats.joined), (1, 199));
    }
}

#[test]
fn bug_a9_also_through_clones_and_both_forms_and_over_several_keys() {
    let time = Virtual::new();
    let shop = Shop::new(&time);
    shop.source.always(Step::echo().after(ms(300)));
    let mut calls = Vec::new();
    for index in 0..200 {
        let (clone, key) = (shop.clone(), format!("k{}", index % 5));
        calls.push(time.spawn(clone.ask(FORMS[index % 2], &key)));
    }
    time.advance(ms(300));
    for (index, call) in calls.into_iter().enumerate() {
        let expected = format!("value-for-k{}", index % 5);
        assert_eq!(time.block_on(call).unwrap(), expected);
    }
    assert_eq!(shop.source.calls(), 5);
}

#[test]
fn bug_a9_also_when_the_calls_are_for_something_absent() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::with(&time, |cache| cache.cache_absence(false));
        shop.source.always(Step::absent().after(ms(300)));
        let calls = [(); 200].map(|()| time.spawn(shop.seek(form, "k")));
        time.advance(ms(300));
        for call in calls {
            assert_eq!(time.block_on(call).unwrap(), None);
        }
        assert_eq!(shop.source.calls(), 1);
    }
}

#[test]
fn bug_a9_also_on_threads() {
    let cache: Cache<u64, u64> = Larder::builder()
        .build()
        .unwrap()
        .cache("threads")
        .build()
        .unwrap();
    let (calls, start) = (Arc::new(AtomicUsize::new(0)), Barrier::new(8));
    let gate = Gate::closed();
    let (arrived, all) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..8 {
            let (cache, calls, gate) = (cache.clone(), Arc::clone(&calls), gate.clone());
            let (start, arrived) = (&start, arrived.clone());
            scope.spawn(move || {
                start.wait();
                let call = cache.get_or_load(&1, move || async move {
                    calls.fetch_add(1, Ordering::SeqCst);
                    gate.wait().await;
                    7
                });
                arrived.send(()).unwrap();
                assert_eq!(smol::block_on(call).unwrap(), 7);
            });
        }
        (0..8).for_each(|_| all.recv().unwrap());
        smol::block_on(gate.arrived(1));
        gate.open();
    });
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[test]
fn bug_a10_all_get_the_error_of_the_one_load_at_once() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.always(Step::error("no line").after(ms(200)));
        let calls = [(); 50].map(|()| ask(&time, &shop, form));
        time.advance(ms(200));
        for call in calls {
            assert!(call.is_finished());
            let error = time.block_on(call).unwrap_err();
            assert_eq!(
                (error.kind(), error.to_string().as_str()),
                (LoadErrorKind::Source, "no line")
            );
        }
        assert_eq!(shop.source.calls(), 1);
    }
}

#[test]
fn bug_a10_who_comes_after_the_error_loads_again_and_again_together() {
    for form in FORMS {
        let time = Virtual::new();
        let shop = Shop::new(&time);
        shop.source.always(Step::error("no line").after(ms(200)));
        for round in 1..4 {
            let calls = [(); 50].map(|()| ask(&time, &shop, form));
            time.advance(ms(200));
            for call in calls {
                time.block_on(call).unwrap_err();
            }
            assert_eq!(shop.source.calls(), round);
        }
    }
}
