//! Caches that are switched off, or to reading or writing only.

use std::future::pending;

use futures_lite::future::zip;
use larder_core::LoadErrorKind;
use larder_engine::{CallOptions, Got, Mode, Outcome, bypass, observe, under};
use larder_kit::Virtual;

use crate::support::{Numbers, SECOND, Source, begin, larder, numbers, panicking};

pub(crate) const ALL: [Mode; 4] = [Mode::On, Mode::ReadOnly, Mode::WriteOnly, Mode::Off];

fn value(time: &Virtual, cache: &Numbers, source: &Source) -> u64 {
    time.block_on(source.fetch(cache, 1)).unwrap().value
}

/// What the next call finds without a load.
fn held(time: &Virtual, cache: &Numbers) -> Option<u64> {
    let got = time.block_on(cache.get(&1));
    got.value().as_deref().copied()
}

#[test]
fn fc9_sp46_a_cache_that_is_off_calls_the_function_each_time_and_keeps_nothing() {
    let time = Virtual::new();
    let larder = larder(&time);
    let by_setting: Numbers = larder.cache("setting").mode(Mode::Off).build().unwrap();
    let by_switch: Numbers = larder.cache("switch").build().unwrap();
    by_switch.switch(Mode::Off);
    for cache in [&by_setting, &by_switch] {
        let source = Source::ready();
        for version in 1..4 {
            assert_eq!(value(&time, cache, &source), version);
            source.change();
        }
        assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
        let stats = cache.stats();
        assert_eq!((stats.bypassed, stats.missed, stats.entries), (3, 1, 0));
        assert_eq!(stats.loaded, 0);
    }
}

#[test]
fn off_runs_each_call_by_itself_in_its_task_and_within_no_bound() {
    let time = Virtual::new();
    let cache = numbers(&time).max_loads(1).mode(Mode::Off).build().unwrap();
    let source = Source::held();
    let mut calls = [(); 3].map(|()| Box::pin(source.fetch(&cache, 1)));
    calls.iter_mut().for_each(|call| begin(&time, call));
    assert_eq!((source.calls(), cache.stats().running), (3, 0));
    let [one, two, left] = calls;
    drop(left);
    source.gate.open();
    let (one, two) = time.block_on(zip(one, two));
    assert_eq!((one.unwrap().value, two.unwrap().value), (1, 1));
    assert_eq!((cache.stats().bypassed, cache.stats().abandoned), (2, 1));
}

#[test]
fn off_keeps_the_deadline_and_contains_a_panic() {
    let time = Virtual::auto();
    let cache = numbers(&time).deadline(SECOND).mode(Mode::Off);
    let cache = cache.build().unwrap();
    let hung = time.block_on(cache.get_or_load(&1, pending::<u64>));
    assert_eq!(hung.unwrap_err().kind(), LoadErrorKind::TimedOut);
    let panicked = time.block_on(cache.get_or_load_scoped(&1, panicking));
    assert_eq!(panicked.unwrap_err().kind(), LoadErrorKind::Panicked);
    assert_eq!(cache.stats().failed, 2);
}

#[test]
fn read_only_serves_and_loads_and_keeps_nothing() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    assert_eq!(value(&time, &cache, &source), 1);
    source.change();
    cache.switch(Mode::ReadOnly);
    assert_eq!(value(&time, &cache, &source), 1, "what is held is served");
    time.block_on(cache.clear());
    let both = zip(source.fetch(&cache, 1), source.fetch(&cache, 1));
    let (one, two) = time.block_on(both);
    assert_eq!(one.unwrap().outcome.detail(), "loaded");
    assert_eq!(two.unwrap().outcome.detail(), "joined");
    assert_eq!(source.calls(), 2);
    assert_eq!(held(&time, &cache), None);
}

#[test]
fn write_only_loads_what_is_held_anew_and_keeps_it() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    value(&time, &cache, &source);
    cache.switch(Mode::WriteOnly);
    let version = source.change();
    assert_eq!(held(&time, &cache), None);
    let call = time.block_on(source.fetch(&cache, 1)).unwrap();
    let Outcome::Loaded { why, stored, .. } = call.outcome else {
        panic!("{:?}", call.outcome);
    };
    assert_eq!(
        (why.name(), stored, call.value),
        ("write-only", true, version)
    );
    cache.switch(Mode::On);
    assert_eq!(held(&time, &cache), Some(version));
}

#[test]
fn write_only_calls_share_loads_that_began_after_them() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
    let mut first = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut first);
    time.run_until_idle();
    let version = source.change();
    let call = || under(Mode::WriteOnly, source.fetch(&cache, 1));
    let mut later = [(); 5].map(|()| Box::pin(call()));
    later.iter_mut().for_each(|call| begin(&time, call));
    source.gate.open();
    assert_eq!(time.block_on(first).unwrap().value, 1);
    let mut answers = Vec::new();
    for call in later.map(|call| time.spawn(call)) {
        answers.push(time.block_on(call).unwrap());
    }
    assert!(answers.iter().all(|answer| answer.value == version));
    assert_eq!(source.calls(), 2, "one load for all that came later");
    assert_eq!(held(&time, &cache), Some(version));
}

#[test]
fn a_write_only_call_inside_the_load_it_would_wait_for_is_an_error() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let inner = cache.clone();
    let load =
        || async move { under(Mode::WriteOnly, inner.get_or_load(&1, || async { 1 })).await };
    let error = time.block_on(cache.get_or_load(&1, load)).unwrap_err();
    assert!(error.to_string().contains("waits for itself"), "{error}");
}

#[test]
fn a_load_that_ends_after_the_switch_keeps_nothing() {
    for scoped in [false, true] {
        let time = Virtual::new();
        let (cache, source) = (numbers(&time).build().unwrap(), Source::held());
        let (inner, body) = (cache.clone(), source.clone());
        let mut call = Box::pin(async move {
            if scoped {
                inner.get_or_load_scoped(&1, || body.read()).await
            } else {
                inner.get_or_load(&1, move || body.read()).await
            }
        });
        begin(&time, &mut call);
        cache.switch(Mode::ReadOnly);
        source.gate.open();
        assert_eq!(time.block_on(call).unwrap(), 1);
        assert_eq!(held(&time, &cache), None);
    }
}

#[test]
fn a_change_holds_in_every_mode() {
    for mode in ALL {
        let time = Virtual::new();
        let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
        for change in 0..4 {
            cache.switch(Mode::On);
            value(&time, &cache, &source);
            let version = source.change();
            cache.switch(mode);
            time.block_on(async {
                match change {
                    0 => cache.put(&1, version).await,
                    1 => cache.invalidate(&1).await,
                    2 => cache.clear().await,
                    _ => cache.put_with(cache.ticket(&1).await, version).await,
                }
            });
            cache.switch(Mode::On);
            let kept = (change % 3 == 0 && mode.keeps()).then_some(version);
            assert_eq!(held(&time, &cache), kept, "{mode:?} {change}");
            assert_eq!(value(&time, &cache, &source), version);
        }
    }
}

#[test]
fn a_scope_restricts_its_own_calls_and_nests() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    time.block_on(cache.put(&1, 7));
    let fetch = || async { source.fetch(&cache, 1).await.unwrap().value };
    time.block_on(async {
        let both = zip(bypass(fetch()), fetch());
        assert_eq!(both.await, (1, 7), "side by side in one task");
        let lifted = bypass(under(Mode::On, fetch()));
        assert_eq!(lifted.await, 1, "an inner scope lifts nothing");
        let (inner, outer) =
            bypass(async { (under(Mode::ReadOnly, fetch()).await, fetch().await) }).await;
        assert_eq!((inner, outer), (1, 1));
        let panicking = async { bypass(async { panic!("on purpose") }).await };
        let caught = futures_lite::FutureExt::catch_unwind(std::panic::AssertUnwindSafe(panicking));
        caught.await.unwrap_err();
        assert_eq!(fetch().await, 7, "the scope ended with its panic");
    });
}

#[test]
fn a_scope_is_not_that_of_a_detached_load_and_is_that_of_a_scoped_one() {
    let time = Virtual::new();
    let (outer, inner) = two_caches(&time);
    time.block_on(inner.put(&2, 7));
    let nested = || {
        let inner = inner.clone();
        move || async move { inner.get_or_load(&2, || async { 1 }).await }
    };
    let detached = under(Mode::WriteOnly, outer.get_or_load(&1, nested()));
    assert_eq!(time.block_on(detached).unwrap(), 7);
    let scoped = under(Mode::WriteOnly, outer.get_or_load_scoped(&1, nested()));
    assert_eq!(time.block_on(scoped).unwrap(), 1);
}

fn two_caches(time: &Virtual) -> (Numbers, Numbers) {
    let larder = larder(time);
    let build = |name| larder.cache(name).build().unwrap();
    (build("outer"), build("inner"))
}

#[test]
fn a_larder_switches_the_caches_it_has_and_will_have() {
    let time = Virtual::new();
    let larder = larder(&time);
    let early: Numbers = larder.cache("early").mode(Mode::ReadOnly).build().unwrap();
    larder.switch(Mode::WriteOnly);
    let late: Numbers = larder.cache("late").build().unwrap();
    assert_eq!((early.mode(), late.mode()), (Mode::Off, Mode::WriteOnly));
    larder.switch(Mode::On);
    assert_eq!((early.mode(), late.mode()), (Mode::ReadOnly, Mode::On));
}

#[test]
fn fc59_one_call_may_be_under_a_mode_of_its_own() {
    let time = Virtual::new();
    for mode in ALL {
        let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
        let options = || CallOptions::new().mode(mode);
        let fetch = || async {
            let body = source.clone();
            let fetched = cache.fetch_with(&1, options(), move || body.read());
            fetched.await.unwrap().value
        };
        let load = || async {
            let body = source.clone();
            let loaded = cache.get_or_load_with(&1, options(), move || body.read());
            loaded.await.unwrap()
        };
        time.block_on(async {
            cache.put(&1, 7).await;
            let seen = if mode.looks() { [7, 7] } else { [1, 1] };
            assert_eq!([fetch().await, load().await], seen, "{mode:?}");
            cache.clear().await;
            load().await;
        });
        assert_eq!(held(&time, &cache), mode.keeps().then_some(1), "{mode:?}");
    }
}

#[test]
fn a_call_past_the_cache_says_so() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Source::ready());
    time.block_on(cache.put(&1, 7));
    let call = bypass(source.fetch(&cache, 1));
    let (_, seen) = time.block_on(observe(call));
    let Outcome::Loaded { why, stored, .. } = *seen[0].outcome() else {
        panic!("{seen:?}");
    };
    assert_eq!((why.name(), stored), ("bypass", false));
}
