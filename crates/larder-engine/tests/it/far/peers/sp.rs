//! A store that fails under Spring's annotations: what its error handlers decide.

use futures_lite::StreamExt;
use larder_core::{LoadError, LoadErrorKind};
use larder_engine::{Cache, CacheBuilder, CallOptions, Change as Done};
use larder_kit::{FarOperation, Fault, Virtual};

use crate::far::rig::Rig;
use crate::far::support::{beat, shelf};
use crate::support::{Numbers, SECOND, TTL};

struct Store {
    time: Virtual,
    rig: Rig,
}

impl Store {
    fn of(strict: bool) -> Self {
        let time = Virtual::new();
        let shelf = shelf(&time);
        let build = |cache: CacheBuilder<u64, u64>| cache.far().raise_far_errors(strict);
        let rig = Rig::with(&time, &shelf, |larder| larder, build);
        beat(&time);
        Self { time, rig }
    }
}

/// The forms of a call that loads: their answer, and how they came to it.
type Form = (&'static str, fn(&Store) -> Result<u64, LoadError>);

const FORMS: [Form; 5] = [
    ("future", |store| {
        let cache: &Numbers = &store.rig.numbers;
        store.time.block_on(cache.get_or_load(&1, || async { 7 }))
    }),
    ("with an error of its own", |store| {
        let load = || async { Ok::<_, std::io::Error>(7) };
        let cache = &store.rig.numbers;
        store.time.block_on(cache.get_or_load(&1, load))
    }),
    ("not shared", |store| {
        let cache = &store.rig.numbers;
        store
            .time
            .block_on(cache.get_or_load_scoped(&1, || async { 7 }))
    }),
    ("many", |store| {
        let load = |_| async { [(1, 7)] };
        let call = store.rig.numbers.get_or_load_many(&[1], load);
        let mut answers = store.time.block_on(call);
        answers.remove(0).map(|value| *value.unwrap())
    }),
    ("stream", |store| {
        let lists = store.rig.larder.cache("lists").ttl(TTL).far();
        let lists = lists.raise_far_errors(store.strict());
        let lists: Cache<u64, Vec<u64>> = lists.build().unwrap();
        let source = || futures_lite::stream::iter([Ok::<_, std::io::Error>(7)]);
        let all = lists
            .get_or_stream(&1, source)
            .try_collect::<_, _, Vec<_>>();
        store.time.block_on(all).map(|items| items[0])
    }),
];

impl Store {
    /// Whether a call is told of the store's error.
    fn strict(&self) -> bool {
        let probe = self.rig.numbers.get_or_load(&99, || async { 1 });
        self.time.block_on(probe).is_err()
    }
}

#[test]
fn sp50_a_read_that_fails_is_the_callers_error_or_the_functions_result() {
    for strict in [true, false] {
        for (name, call) in FORMS {
            let store = Store::of(strict);
            let failing = &store.rig.failing;
            failing.fail(FarOperation::Read, Fault::Lost, usize::MAX);
            let answer = call(&store);
            let answer = answer.map_err(|error| error.kind());
            let expected = if strict {
                Err(LoadErrorKind::Far)
            } else {
                Ok(7)
            };
            assert_eq!(answer, expected, "{name}, strict {strict}");
        }
    }
}

/// Not even where the store fails beside it.
#[test]
fn sp51_a_function_that_fails_is_not_run_twice() {
    for fault in [None, Some(Fault::NotSent), Some(Fault::Lost)] {
        let store = Store::of(false);
        if let Some(fault) = fault {
            store.rig.failing.die(fault);
        }
        for scoped in [true, false] {
            let calls = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
            let count = calls.clone();
            let load = move || async move {
                count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                Err::<u64, _>(std::io::Error::other("of the function"))
            };
            let cache = &store.rig.numbers;
            let answer = if scoped {
                store.time.block_on(cache.get_or_load_scoped(&1, load))
            } else {
                store.time.block_on(cache.get_or_load(&1, load))
            };
            let error = answer.unwrap_err();
            assert_eq!(error.to_string(), "of the function", "{fault:?}");
            assert_eq!(
                calls.load(std::sync::atomic::Ordering::SeqCst),
                1,
                "{fault:?}"
            );
        }
    }
}

#[test]
fn sp52_a_result_that_may_be_nothing_is_kept_as_value_or_as_nothing() {
    let store = Store::of(false);
    let cache = &store.rig.numbers;
    for (key, result) in [(1, Some(7)), (2, None)] {
        for _ in 0..2 {
            let load = move || async move { result };
            let given = store.time.block_on(cache.get_or_load(&key, load));
            assert_eq!(given.unwrap(), result);
        }
        let got = store.time.block_on(cache.get(&key));
        assert_eq!(got.value().as_deref().copied(), result);
    }
    let counts = cache.stats();
    assert_eq!((counts.loaded, counts.near), (2, 4));
}

#[test]
fn sp53_where_the_read_fails_the_result_is_put_all_the_same() {
    for fault in [Fault::NotSent, Fault::Lost, Fault::Done] {
        let store = Store::of(false);
        store.rig.failing.fail(FarOperation::Read, fault, 1);
        let cache = &store.rig.numbers;
        let first = cache.get_or_load(&1, || async { 7 });
        assert_eq!(store.time.block_on(first).unwrap(), 7);
        let again = cache.get_or_load(&1, || async { 8 });
        assert_eq!(store.time.block_on(again).unwrap(), 7, "{fault:?}");
    }
}

#[test]
fn sp54_where_all_of_it_fails_the_call_is_answered() {
    for fault in [Fault::NotSent, Fault::Lost, Fault::Done, Fault::Late] {
        for (name, call) in FORMS {
            let store = Store::of(false);
            store.rig.failing.die(fault);
            assert_eq!(call(&store).unwrap(), 7, "{name}, {fault:?}");
        }
    }
}

/// A put, an eviction and a clear that fail are no error of their caller's: they say that they wait,
/// hold on this node at once, and are told until the store has heard of them. None can be ignored.
#[test]
fn sp55_changes_that_fail_say_so_and_are_made_good() {
    for strict in [true, false] {
        let store = Store::of(strict);
        let cache = &store.rig.numbers;
        store.time.block_on(cache.put(&1, 1));
        store.rig.failing.die(Fault::Lost);
        let done = store.time.block_on(async {
            let put = cache.put(&2, 2).await;
            [put, cache.invalidate(&1).await, cache.clear().await]
        });
        assert_eq!(done, [Done::Queued; 3]);
        let options = CallOptions::new();
        let again = cache.get_or_load_with(&1, options, || async { 9 });
        match store.time.block_on(again) {
            Ok(value) => assert_eq!((value, strict), (9, false)),
            Err(error) => assert_eq!((error.kind(), strict), (LoadErrorKind::Far, true)),
        }
        store.rig.failing.heal();
        store.time.advance(SECOND * 5);
        assert_eq!(cache.stats().far_tier.unwrap().pending, 0);
        let held = store.time.block_on(cache.get(&2)).value();
        assert_eq!(held, None, "the clear came after it");
    }
}
