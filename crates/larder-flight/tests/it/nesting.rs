//! Loads that wait for loads, and for themselves.

use std::future::{Future, pending, ready};

use futures_lite::future::{or, zip};
use larder_core::{BoxFuture, LoadErrorKind};
use larder_kit::{Gate, Virtual};

use crate::cache::{Answer, Cache, kind};

const RECURSIVE: Result<u64, LoadErrorKind> = Err(LoadErrorKind::Recursive);

/// Gets the keys one inside the other: the load of each waits for the next.
fn chain(
    cache: &Cache,
    mut keys: impl Iterator<Item = u64> + Send + 'static,
) -> BoxFuture<'static, Answer> {
    let Some(key) = keys.next() else {
        return Box::pin(ready(Ok(0)));
    };
    let cache = cache.clone();
    Box::pin(async move {
        let inner = chain(&cache, keys);
        cache.get(key, async move { Ok(inner.await? + 1) }).await
    })
}

/// A call of `key` whose load first waits at `gate` and then for `inner`.
fn call(
    cache: &Cache,
    key: u64,
    gate: &Gate,
    inner: impl Future<Output = Answer> + Send + 'static,
) -> larder_kit::Spawned<Answer> {
    let (owner, gate) = (cache.clone(), gate.clone());
    cache.time.spawn(async move {
        let load = async move {
            gate.wait().await;
            inner.await
        };
        owner.get(key, load).await
    })
}

fn get(cache: &Cache, key: u64) -> impl Future<Output = Answer> + Send + 'static {
    let cache = cache.clone();
    async move { cache.get(key, pending()).await }
}

fn is_idle(cache: &Cache) {
    assert_eq!((cache.flights.running(), cache.time.sleepers()), (0, 0));
}

#[test]
fn bug_a5_a_load_that_gets_its_own_key_hears_so_at_once() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let answer = time.block_on(chain(&cache, [1, 1].into_iter()));
    assert_eq!(kind(answer), RECURSIVE);
    is_idle(&cache);
    assert_eq!(kind(time.block_on(cache.get(1, ready(Ok(7))))), Ok(7));
}

#[test]
fn bug_a5_the_same_three_loads_deeper() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let answer = time.block_on(chain(&cache, [1, 2, 3, 1].into_iter()));
    assert_eq!(kind(answer), RECURSIVE);
    is_idle(&cache);
}

#[test]
fn bug_a5_the_same_across_two_caches() {
    let time = Virtual::new();
    let (deals, users) = (Cache::new(&time), Cache::new(&time));
    let gate = Gate::opened();
    let users_then_deals = {
        let (deals, users) = (deals.clone(), users.clone());
        async move { users.get(1, get(&deals, 1)).await }
    };
    let outer = call(&deals, 1, &gate, users_then_deals);
    assert_eq!(kind(time.block_on(outer)), RECURSIVE);
    is_idle(&deals);
    is_idle(&users);
}

#[test]
fn loads_inside_loads_are_no_recursion() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    assert_eq!(kind(time.block_on(chain(&cache, 0..50))), Ok(50));
    is_idle(&cache);
}

/// Both inner calls are made when both loads run, so each would wait for the other.
#[test]
fn crossing_loads_both_end_at_once() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let one = call(&cache, 1, &gate, get(&cache, 2));
    let two = call(&cache, 2, &gate, get(&cache, 1));
    time.run_until_idle();
    assert_eq!(gate.waiting(), 2);
    gate.open();
    assert_eq!(kind(time.block_on(one)), RECURSIVE);
    assert_eq!(kind(time.block_on(two)), RECURSIVE);
    is_idle(&cache);
}

#[test]
fn a_ring_of_three_ends_at_once() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let ring = [(1, 2), (2, 3), (3, 1)];
    let calls = ring.map(|(key, next)| call(&cache, key, &gate, get(&cache, next)));
    time.run_until_idle();
    gate.open();
    for call in calls {
        assert_eq!(kind(time.block_on(call)), RECURSIVE);
    }
    is_idle(&cache);
}

/// One who meets the circle and goes on without it lets the others go on, too.
#[test]
fn a_load_may_answer_in_spite_of_a_circle() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let gate = Gate::closed();
    let one = call(&cache, 1, &gate, get(&cache, 2));
    let fallback = get(&cache, 1);
    let two = call(
        &cache,
        2,
        &gate,
        async move { Ok(fallback.await.unwrap_or(5)) },
    );
    time.run_until_idle();
    gate.open();
    assert_eq!(kind(time.block_on(two)), Ok(5));
    assert_eq!(kind(time.block_on(one)), Ok(5));
    is_idle(&cache);
}

#[test]
fn two_loads_may_wait_for_a_third() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (gate, last) = (Gate::opened(), Gate::closed());
    let third = call(&cache, 3, &last, ready(Ok(7)));
    let calls = [1, 2].map(|key| call(&cache, key, &gate, get(&cache, 3)));
    time.run_until_idle();
    last.open();
    for call in calls.into_iter().chain([third]) {
        assert_eq!(kind(time.block_on(call)), Ok(7));
    }
    assert_eq!(cache.loads(), 3);
}

/// Load 1 waits for 2 twice and drops one of the waits; the other still counts.
#[test]
fn of_two_waits_for_one_load_the_other_still_counts() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (open, enough, last) = (Gate::opened(), Gate::closed(), Gate::closed());
    let (first, second) = (get(&cache, 2), get(&cache, 2));
    let until = enough.clone();
    let impatient = or(first, async move {
        until.wait().await;
        Ok(0)
    });
    let two = call(&cache, 2, &last, get(&cache, 1));
    let one = call(&cache, 1, &open, async move {
        let (_, second) = zip(impatient, second).await;
        second
    });
    time.run_until_idle();
    enough.open();
    time.run_until_idle();
    last.open();
    assert_eq!(kind(time.block_on(two)), RECURSIVE);
    assert_eq!(kind(time.block_on(one)), RECURSIVE);
    is_idle(&cache);
}

/// Load 1 no longer waits for 2 when 2 comes to wait for 1.
#[test]
fn a_wait_that_was_dropped_closes_no_circle() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (open, enough, last) = (Gate::opened(), Gate::closed(), Gate::closed());
    let (given_up, two_waits) = (get(&cache, 2), last.clone());
    let until = enough.clone();
    let two = call(&cache, 2, &last, get(&cache, 1));
    let end = Gate::closed();
    let ending = end.clone();
    let one = call(&cache, 1, &open, async move {
        let given_up = or(given_up, async move {
            until.wait().await;
            Ok(9)
        });
        let answer = given_up.await;
        ending.wait().await;
        answer
    });
    time.run_until_idle();
    enough.open();
    time.run_until_idle();
    two_waits.open();
    time.run_until_idle();
    end.open();
    assert_eq!(kind(time.block_on(one)), Ok(9));
    assert_eq!(kind(time.block_on(two)), Ok(9));
    is_idle(&cache);
}

/// While load 1 is polled the thread polls another load; after that it is inside load 1 again.
#[test]
fn a_poll_inside_a_poll_ends_where_it_began() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let other = call(&cache, 9, &Gate::opened(), ready(Ok(9)));
    let driver = time.clone();
    let again = get(&cache, 1);
    let one = cache.load(1, async move {
        driver.run_until_idle();
        again.await
    });
    // The load comes to be polled before the other task and runs that from inside.
    assert_eq!(kind(time.block_on(one.wait())), RECURSIVE);
    assert_eq!(kind(time.block_on(other)), Ok(9));
}

/// A task of its own that the load waits for hides the circle; the deadline ends it.
#[test]
fn a_circle_that_cannot_be_seen_ends_by_the_deadline() {
    let time = Virtual::auto();
    let cache = Cache::new(&time);
    let hidden = cache.clone();
    let answer = cache.get(1, async move {
        let inner = hidden.time.spawn(get(&hidden, 1));
        inner.await
    });
    assert_eq!(kind(time.block_on(answer)), Err(LoadErrorKind::TimedOut));
    time.run_until_idle();
    is_idle(&cache);
}

/// A wait that begins in one load and is polled on in another belongs to the other.
#[test]
fn a_wait_that_moves_between_loads_is_noted_where_it_is_polled() {
    let time = Virtual::new();
    let cache = Cache::new(&time);
    let (open, handed) = (Gate::opened(), Gate::closed());
    let last = Gate::closed();
    let three = call(&cache, 3, &last, get(&cache, 2));
    time.run_until_idle();
    let mut wait = Box::pin(get(&cache, 3));
    let (give, take) = std::sync::mpsc::channel();
    let one = call(&cache, 1, &open, async move {
        let polled = futures_lite::future::poll_once(&mut wait).await;
        assert!(polled.is_none());
        give.send(wait).unwrap();
        Ok(1)
    });
    assert_eq!(kind(time.block_on(one)), Ok(1));
    let two = call(
        &cache,
        2,
        &handed,
        async move { take.recv().unwrap().await },
    );
    time.run_until_idle();
    handed.open();
    time.run_until_idle();
    last.open();
    assert_eq!(kind(time.block_on(two)), RECURSIVE);
    assert_eq!(kind(time.block_on(three)), RECURSIVE);
}
