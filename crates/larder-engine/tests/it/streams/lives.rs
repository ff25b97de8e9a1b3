//! Sources whose callers leave.

use futures_lite::StreamExt;
use larder_core::LoadErrorKind::{self, Panicked, Source};
use larder_engine::CallOptions;
use larder_kit::Virtual;

use super::source::{Tap, all, held, lists, ready, some};
use crate::support::SECOND;

#[test]
fn m2_one_who_leaves_early_leaves_the_others_and_the_source_alone() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    for options in [CallOptions::new(), CallOptions::new().cancel()] {
        let mut led = tap.call_with(&cache, options.clone());
        let mut joined = tap.call_with(&cache, options);
        assert_eq!(ready(&time, &mut led), []);
        tap.give([1]);
        assert_eq!(ready(&time, &mut joined), some([1]));
        drop(led);
        tap.give([2]);
        assert_eq!(ready(&time, &mut joined), some([2]));
        assert_eq!(tap.running(), 1);
        tap.fail();
        ready(&time, &mut joined);
    }
}

#[test]
fn l2_a_source_that_nobody_follows_any_more_goes_on_or_ends_as_its_life_says() {
    for (options, goes_on) in [
        (CallOptions::new(), true),
        (CallOptions::new().cancel(), false),
    ] {
        let time = Virtual::new();
        let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
        let mut calls = [(); 2].map(|()| tap.call_with(&cache, options.clone()));
        for items in &mut calls {
            assert_eq!(ready(&time, items), []);
        }
        tap.give([1]);
        drop(calls);
        time.run_until_idle();
        let running = usize::from(goes_on);
        assert_eq!((tap.running(), cache.stats().running), (running, running));
        tap.give([2]);
        tap.end();
        time.run_until_idle();
        let expected = goes_on.then(|| vec![1, 2]);
        assert_eq!(held(&time, &cache), expected);
        assert_eq!(cache.stats().abandoned, 2);
    }
}

#[test]
fn l2_one_who_joins_without_saying_so_makes_a_source_go_on() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let mut led = tap.call_with(&cache, CallOptions::new().cancel());
    assert_eq!(ready(&time, &mut led), []);
    let mut joined = tap.call(&cache);
    assert_eq!(ready(&time, &mut joined), []);
    drop((led, joined));
    tap.give([1]);
    tap.end();
    time.run_until_idle();
    assert_eq!(held(&time, &cache), Some(vec![1]));
}

#[test]
fn l2_one_who_comes_as_the_last_leaves_starts_a_source_of_its_own() {
    let time = Virtual::new();
    let (cache, tap, own) = (lists(&time).build().unwrap(), Tap::new(), Tap::of([7]));
    let mut led = tap.call_with(&cache, CallOptions::new().cancel());
    assert_eq!(ready(&time, &mut led), []);
    drop(led);
    // The load's task has not been told yet.
    assert_eq!(all(&time, own.call(&cache)), [Ok(7)]);
    time.run_until_idle();
    assert_eq!((held(&time, &cache), tap.running()), (Some(vec![7]), 0));
}

/// How a source ends, and the error of it.
type End = (fn(&Tap), Option<LoadErrorKind>);

/// Drops a call after `taken` elements and the others at the end, for each end of the source.
fn dropped(taken: usize, cancel: bool, (end, error): End) {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let options = || {
        let options = CallOptions::new();
        if cancel { options.cancel() } else { options }
    };
    let mut one = tap.call_with(&cache, options());
    let mut two = tap.call_with(&cache, options());
    for at in 0..taken as u64 {
        tap.give([at]);
        assert_eq!(ready(&time, &mut one), some([at]));
        assert_eq!(ready(&time, &mut two), some([at]));
    }
    drop(one);
    end(&tap);
    let rest = ready(&time, &mut two);
    assert!(rest.len() <= 3, "{rest:?}");
    let heard = rest.into_iter().find_map(|item| item?.err());
    assert_eq!(heard, error);
    drop(two);
    time.advance(SECOND * 60);
    assert_eq!(
        (tap.running(), cache.stats().running, time.sleepers()),
        (0, 0, 1)
    );
    assert_eq!(
        all(&time, Tap::of([7]).call(&cache)).len(),
        match held(&time, &cache) {
            Some(held) => held.len(),
            None => 1,
        }
    );
}

#[test]
fn l2_wherever_callers_leave_nothing_stays_behind() {
    let ends: [End; 6] = [
        (
            |tap| {
                tap.give([9]);
                tap.end();
            },
            None,
        ),
        (|tap| tap.fail(), Some(Source)),
        (
            |tap| {
                tap.give([9]);
                tap.fail();
            },
            Some(Source),
        ),
        (|tap| tap.panic(), Some(Panicked)),
        (
            |tap| {
                tap.give([9]);
                tap.panic();
            },
            Some(Panicked),
        ),
        (|_hangs| {}, None),
    ];
    for taken in 0..3 {
        for cancel in [false, true] {
            for end in ends {
                dropped(taken, cancel, end);
            }
        }
    }
}

#[test]
fn a_call_in_a_task_that_is_dropped_between_polls_leaves_nothing_behind() {
    let time = Virtual::new();
    let (cache, tap) = (lists(&time).build().unwrap(), Tap::new());
    let mut items = tap.call_with(&cache, CallOptions::new().cancel());
    let mut first = Box::pin(items.next());
    crate::support::begin(&time, &mut first);
    drop(first);
    drop(items);
    time.run_until_idle();
    assert_eq!((tap.running(), cache.stats().running), (0, 0));
}
