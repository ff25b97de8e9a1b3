//! How batches end: well, with errors, late, and without their callers.

use std::future::pending;

use futures_lite::future::poll_once;
use larder_core::{BoxFuture, LoadErrorKind};
use larder_engine::CallOptions;
use larder_kit::Virtual;

use super::source::{Answers, Many, held, plain};
use crate::support::{Numbers, SECOND, begin, numbers};

#[test]
fn m1_a_key_fails_alone_and_a_load_fails_for_what_it_was_called_for() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(cache.put(&1, 11));
    let load = |keys: Vec<u64>| async move {
        let answer = |key| match key {
            2 => Err(std::fmt::Error),
            key => Ok(key),
        };
        keys.into_iter().map(move |key| (key, answer(key)))
    };
    let found = plain(time.block_on(cache.get_or_load_many(&[1, 2, 3], load)));
    assert_eq!(
        found,
        [Ok(Some(11)), Err(LoadErrorKind::Source), Ok(Some(3))]
    );
    let load = |_| async { Err::<Vec<(u64, u64)>, _>("down") };
    let found = plain(time.block_on(cache.get_or_load_many(&[1, 2, 3, 4], load)));
    let failed = Err(LoadErrorKind::Source);
    assert_eq!(found, [Ok(Some(11)), failed, Ok(Some(3)), failed]);
    let stats = cache.stats();
    assert_eq!(
        (stats.failed, stats.loaded, stats.near, stats.entries),
        (3, 1, 3, 2)
    );
}

#[test]
fn a_batch_that_panics_fails_and_the_keys_go_on() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::ready());
    for early in [true, false] {
        let load = move |keys: Vec<u64>| {
            assert!(!early, "on purpose");
            async move {
                assert!(early, "on purpose");
                keys.into_iter().map(|key| (key, key))
            }
        };
        let found = plain(time.block_on(cache.get_or_load_many(&[1, 2], load)));
        assert_eq!(found, [Err(LoadErrorKind::Panicked); 2]);
        assert_eq!(cache.stats().running, 0);
    }
    let found = time.block_on(source.fetch(&cache, &[1, 2]));
    assert_eq!(found, [Ok(Some(1000)), Ok(Some(2000))]);
}

#[test]
fn l3_a_batch_that_hangs_ends_by_its_deadline() {
    let time = Virtual::new();
    let cache = numbers(&time).deadline(SECOND).build().unwrap();
    let there = cache.clone();
    let call = time.spawn(async move {
        let load = |_| pending::<Vec<(u64, u64)>>();
        plain(there.get_or_load_many(&[1, 2], load).await)
    });
    time.advance(SECOND / 2);
    assert!(!call.is_finished());
    time.advance(SECOND);
    assert_eq!(time.block_on(call), [Err(LoadErrorKind::TimedOut); 2]);
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn fc15_a_batch_that_hangs_after_its_callers_have_left_leaves_the_source_alone() {
    let time = Virtual::new();
    let cache = numbers(&time).ttl(SECOND).stale(SECOND * 60);
    let cache = cache.deadline(SECOND * 3).build().unwrap();
    time.block_on(Many::ready().fetch(&cache, &[1]));
    time.hand().advance(SECOND);
    drop(call(&time, &cache, &Many::held(), Life::Detach));
    assert_eq!(cache.stats().running, 1);
    time.advance(SECOND * 3);
    assert_eq!(cache.stats().running, 0);
    let source = Many::ready();
    assert_eq!(time.block_on(source.single(&cache, 1)).unwrap(), 1000);
    time.run_until_idle();
    assert_eq!(source.calls(), [[0; 0]; 0]);
    let found = time.block_on(source.fetch(&cache, &[1, 2]));
    assert_eq!(found, [Ok(Some(1000)), Ok(Some(2000))]);
    assert_eq!(source.calls(), [[2]], "there is nothing to fall back to");
}

/// Who the batch belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Life {
    Detach,
    Cancel,
    Scoped,
}

/// A batch that has begun.
fn call(time: &Virtual, cache: &Numbers, source: &Many, life: Life) -> BoxFuture<'static, Answers> {
    let (cache, source) = (cache.clone(), source.clone());
    let mut call: BoxFuture<'static, Answers> = Box::pin(async move {
        let load = move |keys| source.read(keys);
        match life {
            Life::Detach => plain(cache.get_or_load_many(&[1, 2], load).await),
            Life::Scoped => plain(cache.get_or_load_many_scoped(&[1, 2], load).await),
            Life::Cancel => {
                let options = CallOptions::new().cancel();
                let found = cache.fetch_many(&[1, 2], options, load).await;
                plain(found.into_iter().map(|one| Ok(one?.value)).collect())
            }
        }
    });
    begin(time, &mut call);
    time.run_until_idle();
    call
}

#[test]
fn l2_a_dropped_batch_goes_on_or_ends_as_its_life_says() {
    for (life, goes_on) in [
        (Life::Detach, true),
        (Life::Cancel, false),
        (Life::Scoped, false),
    ] {
        let time = Virtual::new();
        let (cache, source) = (numbers(&time).build().unwrap(), Many::held());
        let batch = call(&time, &cache, &source, life);
        assert_eq!((cache.stats().running, source.gate.waiting()), (1, 1));
        drop(batch);
        time.run_until_idle();
        let running = usize::from(goes_on);
        assert_eq!(cache.stats().running, running, "{life:?}");
        assert_eq!(source.gate.waiting(), running, "{life:?}");
        assert_eq!(cache.stats().abandoned, 2, "{life:?}");
        source.gate.open();
        time.run_until_idle();
        let kept = time.block_on(held(&cache, &[1, 2]));
        assert_eq!(kept.iter().all(Option::is_some), goes_on, "{life:?}");
        assert_eq!(cache.stats().running, 0);
    }
}

#[test]
fn cfb1_one_who_joined_a_key_of_a_dropped_batch_gets_an_answer() {
    for life in [Life::Detach, Life::Cancel, Life::Scoped] {
        let time = Virtual::new();
        let (cache, source) = (numbers(&time).build().unwrap(), Many::held());
        let batch = call(&time, &cache, &source, life);
        let single = time.spawn(source.single(&cache, 2));
        time.run_until_idle();
        drop(batch);
        time.run_until_idle();
        source.gate.open();
        assert_eq!(time.block_on(single).unwrap(), 2000, "{life:?}");
        let calls = if life == Life::Scoped { 2 } else { 1 };
        assert_eq!(source.calls().len(), calls, "{life:?}");
        assert_eq!(cache.stats().running, 0, "{life:?}");
    }
}

#[test]
fn a_batch_is_dropped_at_any_moment_and_leaves_nothing_behind() {
    for life in [Life::Detach, Life::Cancel, Life::Scoped] {
        for polls in 0..4 {
            let time = Virtual::new();
            let (cache, source) = (numbers(&time).build().unwrap(), Many::held());
            let single = time.spawn(source.single(&cache, 1));
            time.run_until_idle();
            let (there, from) = (cache.clone(), source.clone());
            let mut batch = Box::pin(async move {
                let load = move |keys| from.read(keys);
                match life {
                    Life::Scoped => there.get_or_load_many_scoped(&[1, 2, 3], load).await,
                    _ => there.get_or_load_many(&[1, 2, 3], load).await,
                }
            });
            for poll in 0..polls {
                assert!(time.block_on(poll_once(&mut batch)).is_none());
                if poll == 1 {
                    source.gate.open();
                    time.run_until_idle();
                    source.gate.close();
                    break;
                }
            }
            drop(batch);
            source.gate.open();
            time.advance(SECOND * 60);
            assert_eq!(time.block_on(single).unwrap(), 1000);
            assert_eq!(cache.stats().running, 0, "{life:?} {polls}");
            let found = time.block_on(source.fetch(&cache, &[1, 2, 3]));
            assert!(found.iter().all(Result::is_ok), "{life:?} {polls}");
        }
    }
}
