//! Events: told to those who listen, and harmless.

use std::panic::AssertUnwindSafe;

use futures_lite::FutureExt;
use futures_lite::future::poll_once;
use larder_engine::{Events, Larder, Mode, What};
use larder_kit::Virtual;

use crate::support::{Numbers, SECOND, Source, TTL, begin, larder, panicking};

fn cache(larder: &Larder) -> Numbers {
    larder.cache("numbers").ttl(TTL).build().unwrap()
}

/// The names of the events that wait; that of an answer is its outcome's.
fn told(events: &Events) -> Vec<&'static str> {
    let name = |what: What| match what {
        What::Answered(outcome) => outcome.detail(),
        what => what.name(),
    };
    std::iter::from_fn(|| events.try_next())
        .map(|event| name(event.what))
        .collect()
}

#[test]
fn fc76_each_thing_that_happens_is_one_event() {
    let time = Virtual::new();
    let larder = larder(&time);
    let (cache, source) = (cache(&larder), Source::ready());
    let events = larder.events(100);
    time.block_on(async {
        source.fetch(&cache, 1).await.unwrap();
        assert_eq!(told(&events), ["stored", "loaded"]);
        source.fetch(&cache, 1).await.unwrap();
        cache.get(&1).await;
        assert_eq!(told(&events), ["near", "near"]);
        cache.get(&2).await;
        assert_eq!(told(&events), ["missed"]);
        cache.get_or_load(&3, panicking).await.unwrap_err();
        assert_eq!(told(&events), ["failed"]);
        cache.put(&1, 7).await;
        cache.invalidate(&1).await;
        cache.expire(&1).await;
        cache.invalidate_tag("fruit").await;
        cache.clear().await;
        let changes = [
            "put",
            "invalidated",
            "invalidated",
            "invalidated",
            "cleared",
        ];
        assert_eq!(told(&events), changes);
        cache.switch(Mode::Off);
        source.fetch(&cache, 1).await.unwrap();
        assert_eq!(told(&events), ["switched", "loaded"]);
        cache.switch(Mode::On);
        larder.switch(Mode::On);
        assert_eq!(told(&events), ["switched", "switched"]);
    });
}

#[test]
fn fc76_what_befalls_calls_and_entries_is_told_too() {
    let time = Virtual::new();
    let larder = larder(&time);
    let cache: Numbers = larder
        .cache("numbers")
        .ttl(SECOND)
        .capacity(1)
        .build()
        .unwrap();
    let events = larder.events(100);
    let source = Source::held();
    let mut leader = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut leader);
    let mut joined = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut joined);
    let mut left = Box::pin(source.fetch(&cache, 1));
    begin(&time, &mut left);
    drop(left);
    assert_eq!(told(&events), ["abandoned"]);
    time.block_on(cache.clear());
    source.gate.open();
    time.block_on(leader).unwrap();
    time.block_on(joined).unwrap();
    assert_eq!(told(&events), ["cleared", "refused", "loaded", "joined"]);
    time.block_on(async {
        cache.put(&1, 1).await;
        cache.put(&1, 2).await;
        assert_eq!(told(&events), ["put", "put"], "a new value evicts none");
        cache.put(&2, 2).await;
        assert_eq!(told(&events), ["put", "evicted"]);
    });
    time.advance(SECOND * 3);
    assert_eq!(told(&events), ["swept"]);
    let stats = cache.stats();
    assert_eq!((stats.evicted, stats.swept), (1, 1));
}

#[test]
fn fc76_an_old_value_a_refresh_that_fails_and_a_key_too_long_are_told_too() {
    let time = Virtual::new();
    let larder = larder(&time);
    let cache = larder.cache::<String, u64>("named").ttl(SECOND);
    let cache = cache.stale(TTL).throttle(SECOND).max_key(3);
    let cache = cache.build().unwrap();
    let events = larder.events(100);
    let ask = |key: &str, answer: Result<u64, &'static str>| {
        let asked = cache.get_or_load(key, move || async move { answer });
        let given = time.block_on(asked);
        time.run_until_idle();
        given.unwrap()
    };
    assert_eq!(ask("long", Ok(1)), 1);
    assert_eq!(told(&events), ["long-key", "loaded"]);
    assert_eq!(ask("key", Ok(1)), 1);
    assert_eq!(told(&events), ["stored", "loaded"]);
    // A jump, so that nothing is swept.
    time.hand().advance(SECOND);
    assert_eq!(ask("key", Err("down")), 1);
    assert_eq!(told(&events), ["stale-refresh", "refresh-failed"]);
    assert_eq!(ask("key", Ok(2)), 1);
    assert_eq!(told(&events), ["stale-error"]);
    time.hand().advance(SECOND);
    assert_eq!(ask("key", Ok(2)), 1);
    assert_eq!(told(&events), ["stale-refresh", "stored"]);
    let stats = cache.stats();
    assert_eq!((stats.stale, stats.refreshes), (3, 2));
    assert_eq!((stats.failed_refreshes, stats.long_keys), (1, 1));
}

#[test]
fn events_say_which_cache_and_reach_every_listener_that_listens_then() {
    let time = Virtual::new();
    let larder = larder(&time);
    let one: Numbers = larder.cache("one").build().unwrap();
    let (early, late);
    early = larder.events(9);
    let two: Numbers = larder.cache("two").build().unwrap();
    time.block_on(one.put(&1, 1));
    late = larder.events(9);
    time.block_on(two.put(&1, 1));
    let names = |events: &Events| {
        std::iter::from_fn(|| events.try_next())
            .map(|event| event.cache.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&early), ["one", "two"]);
    assert_eq!(names(&late), ["two"]);
    drop(early);
    time.block_on(one.put(&1, 1));
    assert_eq!(names(&late), ["one"]);
}

#[test]
fn fc78_a_listener_that_is_slow_loses_events_and_holds_up_nobody() {
    let time = Virtual::new();
    let larder = larder(&time);
    let cache = cache(&larder);
    let (slow, least) = (larder.events(3), larder.events(0));
    for _ in 0..10 {
        time.block_on(cache.put(&1, 1));
    }
    assert_eq!((told(&slow).len(), slow.dropped()), (3, 7));
    assert_eq!((told(&least).len(), least.dropped()), (1, 9));
    time.block_on(cache.clear());
    assert_eq!(told(&slow), ["cleared"], "it goes on where it is");
}

#[test]
fn fc78_a_listener_that_panics_hurts_no_call() {
    let time = Virtual::new();
    let larder = larder(&time);
    let cache = cache(&larder);
    let events = larder.events(3);
    let listener = async move {
        events.next().await;
        panic!("on purpose");
    };
    let listener = time.spawn(AssertUnwindSafe(listener).catch_unwind());
    time.run_until_idle();
    time.block_on(cache.put(&1, 1));
    time.block_on(listener).unwrap_err();
    for _ in 0..10 {
        time.block_on(cache.put(&1, 2));
    }
    assert_eq!(cache.stats().puts, 11);
}

#[test]
fn a_wait_for_the_next_event_ends_with_it_and_loses_none_when_dropped() {
    let time = Virtual::new();
    let larder = larder(&time);
    let cache = cache(&larder);
    let events = larder.events(3);
    let mut waiting = Box::pin(events.next());
    begin(&time, &mut waiting);
    time.block_on(cache.put(&1, 1));
    drop(waiting);
    let put = time.block_on(poll_once(events.next())).unwrap();
    assert_eq!(put.what, What::Put);
}

#[test]
fn who_stops_listening_leaves_nothing_behind() {
    let time = Virtual::new();
    let larder = larder(&time);
    let cache = cache(&larder);
    for _ in 0..3 {
        drop(larder.events(1));
        time.block_on(cache.put(&1, 1));
    }
    let stats = cache.stats();
    assert_eq!((stats.puts, stats.entries), (3, 1));
    let events = larder.events(1);
    assert_eq!((told(&events).len(), events.dropped()), (0, 0));
}
