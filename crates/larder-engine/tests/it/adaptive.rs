//! Loads that say what becomes of their results.

use std::fmt::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use larder_core::{LoadError, LoadErrorKind};
use larder_engine::{CallOptions, Got, Loaded, Mode, Previous};
use larder_kit::{Gate, Virtual};

use crate::support::{Numbers, SECOND, TTL, begin, numbers};

fn held(time: &Virtual, cache: &Numbers) -> Option<u64> {
    time.block_on(cache.get(&1)).value().as_deref().copied()
}

#[test]
fn fc35_a_time_may_come_from_the_value() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let load = |secs: u64| move || async move { Loaded::new(secs).ttl(SECOND * secs as u32) };
    time.block_on(cache.get_or_load(&1, load(5))).unwrap();
    time.advance(SECOND * 5 - Duration::from_millis(1));
    assert_eq!(held(&time, &cache), Some(5));
    time.advance(Duration::from_millis(1));
    assert_eq!(held(&time, &cache), None);
    let scoped = cache.get_or_load_scoped(&1, load(9));
    assert_eq!(time.block_on(scoped).unwrap(), 9);
    time.advance(SECOND * 8);
    assert_eq!(held(&time, &cache), Some(9));
}

#[test]
fn fc36_a_failed_load_may_give_a_stand_in_that_the_next_call_tries_to_better() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    for stand_in in 0..3 {
        let failing = move || async move { Ok::<_, Error>(Loaded::new(stand_in).unstored()) };
        assert_eq!(
            time.block_on(cache.get_or_load(&1, failing)).unwrap(),
            stand_in
        );
        assert_eq!(held(&time, &cache), None);
    }
    let failed = cache.get_or_load(&1, || async { Err::<Loaded<u64>, _>(Error) });
    assert_eq!(
        time.block_on(failed).unwrap_err().kind(),
        LoadErrorKind::Source
    );
}

#[test]
fn fc37_what_is_said_counts_in_a_load_that_ends_behind_its_caller() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let gate = Gate::closed();
    let wait = gate.clone();
    let load = move || async move {
        wait.wait().await;
        Loaded::new(7).ttl(SECOND * 2).tag("fruit")
    };
    let mut call = Box::pin(cache.get_or_load(&1, load));
    begin(&time, &mut call);
    drop(call);
    gate.open();
    time.run_until_idle();
    assert_eq!(held(&time, &cache), Some(7));
    time.advance(SECOND * 2);
    assert_eq!(held(&time, &cache), None);
}

#[test]
fn fc38_what_one_load_says_is_forgotten_by_the_next() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let options = CallOptions::new().ttl(SECOND * 20);
    for ttl in [Some(SECOND), None] {
        let load = move || async move {
            let loaded = Loaded::new(7);
            match ttl {
                Some(ttl) => loaded.ttl(ttl),
                None => loaded,
            }
        };
        let call = cache.get_or_load_with(&1, options.clone(), load);
        time.block_on(call).unwrap();
        time.advance(SECOND);
        assert_eq!(held(&time, &cache), ttl.is_none().then_some(7));
    }
    time.advance(SECOND * 19);
    time.block_on(cache.get_or_load(&1, || async { 7 }))
        .unwrap();
    time.advance(TTL - SECOND);
    assert_eq!(held(&time, &cache), Some(7), "the cache's own");
}

#[test]
fn fc39_a_value_may_say_that_it_is_not_to_be_kept() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    for loaded in [
        || Loaded::new(Some(1)).unstored(),
        || Loaded::new(None).unstored(),
        || Loaded::new(Some(1)).ttl(Duration::ZERO),
    ] {
        time.block_on(cache.get_or_load(&1, move || async move { loaded() }))
            .unwrap();
        assert_eq!(time.block_on(cache.get(&1)), Got::Unknown);
    }
}

#[test]
fn a_tag_may_come_from_the_value() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let load = || async { Loaded::new(Arc::new(7)).tag("fruit") };
    assert_eq!(*time.block_on(cache.get_or_load(&1, load)).unwrap(), 7);
    time.block_on(cache.invalidate_tag("fruit"));
    assert_eq!(held(&time, &cache), None);
}

/// What a source with versions was asked, and what it holds.
#[derive(Clone, Default)]
pub(crate) struct Versions(Arc<Mutex<(u64, Vec<String>)>>);

impl Versions {
    pub(crate) fn change(&self) {
        self.0.lock().unwrap().0 += 1;
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().1)
    }

    fn ask(&self, held: Option<&Previous<u64>>) -> Loaded<u64> {
        let mut state = self.0.lock().unwrap();
        let tag = held.and_then(Previous::validator);
        let tag = tag.map(|tag| String::from_utf8(tag.to_vec()).unwrap());
        let version = format!("v{}", state.0);
        let same = tag.as_ref() == Some(&version);
        state.1.push(tag.unwrap_or_default());
        match same {
            true => Loaded::not_modified(),
            false => Loaded::new(state.0).validator(version).tag("fruit"),
        }
    }

    pub(crate) async fn reload(&self, cache: &Numbers) -> u64 {
        let source = self.clone();
        let load = |held: Option<Previous<u64>>| async move { source.ask(held.as_ref()) };
        let loaded = cache.get_or_reload(&1, CallOptions::new(), load);
        loaded.await.unwrap()
    }
}

#[test]
fn fc40_not_modified_keeps_the_old_value_anew_with_its_time_tags_and_validator() {
    let time = Virtual::new();
    let cache = numbers(&time).stale(TTL).build().unwrap();
    let source = Versions::default();
    time.block_on(async {
        assert_eq!(source.reload(&cache).await, 0);
        let first = cache.get(&1).await.value().unwrap();
        for _ in 0..3 {
            cache.expire(&1).await;
            assert_eq!(source.reload(&cache).await, 0);
            let again = cache.get(&1).await.value().unwrap();
            assert!(Arc::ptr_eq(&first, &again), "the value is not copied");
        }
        assert_eq!(source.asked(), ["", "v0", "v0", "v0"]);
    });
    time.advance(TTL - SECOND);
    assert_eq!(held(&time, &cache), Some(0), "for its whole time");
    source.change();
    time.block_on(async {
        cache.expire(&1).await;
        assert_eq!(source.reload(&cache).await, 1);
        assert_eq!(source.asked(), ["v0"]);
        cache.expire(&1).await;
        assert_eq!(source.reload(&cache).await, 1);
        cache.invalidate_tag("fruit").await;
        assert_eq!(cache.get(&1).await, Got::Unknown, "its tag stays with it");
    });
}

#[test]
fn what_was_invalidated_is_not_given_to_a_load() {
    let time = Virtual::new();
    let cache = numbers(&time).stale(TTL).build().unwrap();
    let source = Versions::default();
    time.block_on(async {
        for change in 0..4 {
            source.reload(&cache).await;
            source.asked();
            match change {
                0 => cache.invalidate(&1).await,
                1 => cache.invalidate_tag("fruit").await,
                2 => cache.clear().await,
                _ => {
                    cache.expire(&1).await;
                    cache.invalidate(&1).await
                }
            };
            source.reload(&cache).await;
            assert_eq!(source.asked(), [""], "change {change}");
        }
        cache.expire(&1).await;
        cache.switch(Mode::WriteOnly);
        source.reload(&cache).await;
        assert_eq!(source.asked(), [""], "a mode that does not look");
    });
}

#[test]
fn an_old_value_that_is_served_meanwhile_is_renewed_behind_it() {
    let time = Virtual::new();
    let cache = numbers(&time).stale(TTL).build().unwrap();
    let source = Versions::default();
    time.block_on(source.reload(&cache));
    time.advance(TTL + SECOND);
    assert_eq!(time.block_on(source.reload(&cache)), 0);
    time.run_until_idle();
    assert_eq!(source.asked(), ["", "v0"]);
    assert_eq!(held(&time, &cache), Some(0));
}

#[test]
fn not_modified_without_an_old_value_is_an_error() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let call = cache.get_or_load(&1, || async { Loaded::<u64>::not_modified() });
    let error = time.block_on(call).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Source);
    assert_eq!(held(&time, &cache), None);
}

#[test]
fn an_absence_is_given_to_loads_that_can_say_it() {
    let time = Virtual::new();
    let cache = numbers(&time).stale(TTL).build().unwrap();
    let given = |held: &Option<Previous<u64>>| held.as_ref().map(|held| held.value().is_some());
    time.block_on(async {
        cache.put(&1, None::<u64>).await;
        cache.expire(&1).await;
        let can = move |held| async move {
            assert_eq!(given(&held), Some(false));
            Loaded::<Option<u64>>::not_modified()
        };
        let call = cache.get_or_reload(&1, CallOptions::new(), can);
        assert_eq!(call.await.unwrap(), None);
        cache.expire(&1).await;
        let cannot = move |held| async move {
            assert_eq!(given(&held), None);
            Loaded::new(7)
        };
        let call = cache.get_or_reload(&1, CallOptions::new(), cannot);
        assert_eq!(call.await.unwrap(), 7);
    });
}

#[test]
fn an_error_that_nothing_old_may_hide_reaches_its_callers() {
    let time = Virtual::new();
    let cache = numbers(&time).stale(TTL).build().unwrap();
    let fail = |bare: bool| {
        let failing = move || async move {
            let error = LoadError::source(Error);
            Err::<u64, _>(if bare {
                error.without_fallback()
            } else {
                error
            })
        };
        time.block_on(async {
            cache.put(&1, 7).await;
            cache.expire(&1).await;
            cache.get_or_load(&1, failing).await
        })
    };
    assert_eq!(fail(false).unwrap(), 7);
    assert!(fail(true).is_err());
}
