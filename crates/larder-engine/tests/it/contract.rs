//! The counting contract: every kind of call with every end counts once.

mod verbs;

use larder_engine::{Cache, Got, Loaded, Stats, bypass};
use larder_kit::{Gate, Virtual};

use crate::support::{Numbers, SECOND, TTL, begin, larder, numbers};
use verbs::{Last, Lasts, Load, VERBS, Verb, run};

/// The one end that one call was counted at.
fn end(before: &Stats, after: &Stats) -> &'static str {
    let counted = after.since(before).calls();
    let seen: Vec<_> = counted.iter().filter(|(_, count)| *count > 0).collect();
    let [(end, 1)] = seen[..] else {
        panic!("{seen:?}");
    };
    end
}

struct Case {
    time: Virtual,
    cache: Lasts,
    verb: Verb,
}

impl Case {
    fn new(verb: Verb) -> Self {
        let time = Virtual::new();
        let cache = larder(&time).cache("lasts").ttl(TTL).stale(TTL);
        let cache = cache.deadline(SECOND).max_loads(1);
        let cache = cache.build().unwrap();
        Self { time, cache, verb }
    }

    /// The end of one call, which `act` brings about while it waits.
    fn ends(&self, load: Load, act: impl FnOnce()) -> &'static str {
        let before = self.cache.stats();
        let call = self.time.spawn((self.verb)(self.cache.clone(), load));
        self.time.run_until_idle();
        act();
        self.time.block_on(call);
        self.time.run_until_idle();
        assert_eq!(self.cache.stats().running, 0);
        end(&before, &self.cache.stats())
    }

    fn put(&self) {
        self.time.block_on(self.cache.put(&1, Last(1)));
    }
}

#[test]
fn w2_every_kind_of_call_is_counted_once_at_every_end() {
    for (name, verb) in VERBS {
        let ends = |end, load: Load| {
            let case = Case::new(verb);
            assert_eq!(case.ends(load, || {}), end, "{name}");
        };
        ends("loaded", Load::Value);
        ends("failed", Load::Error);
        ends("failed", Load::Panic);
        let case = Case::new(verb);
        let late = || case.time.advance(SECOND);
        assert_eq!(case.ends(Load::Pending, late), "failed", "{name}, late");
        let case = Case::new(verb);
        case.put();
        assert_eq!(case.ends(Load::Panic, || {}), "near", "{name}");
        case.time.block_on(case.cache.expire(&1));
        assert_eq!(case.ends(Load::Error, || {}), "stale", "{name}");
    }
}

#[test]
fn w2_calls_beside_others_are_counted_once_too() {
    for (name, verb) in VERBS {
        let case = Case::new(verb);
        let gate = Gate::closed();
        let held = Load::Held(gate.clone());
        let leader = case.time.spawn({
            let (cache, held) = (case.cache.clone(), held.clone());
            async move { cache.get_or_load(&1, || run(held)).await }
        });
        case.time.run_until_idle();
        let before = case.cache.stats();
        let mut joined = verb(case.cache.clone(), Load::Panic);
        begin(&case.time, &mut joined);
        let mut left = verb(case.cache.clone(), Load::Panic);
        begin(&case.time, &mut left);
        drop(left);
        assert_eq!(end(&before, &case.cache.stats()), "abandoned", "{name}");
        gate.open();
        case.time.block_on(leader).unwrap();
        let before = case.cache.stats();
        case.time.block_on(joined);
        assert_eq!(end(&before, &case.cache.stats()), "joined", "{name}");
    }
}

#[test]
fn w2_refused_bypassed_and_dropped_calls_are_counted_once_too() {
    for (name, verb) in VERBS {
        let case = Case::new(verb);
        let gate = Gate::closed();
        let mut running = Box::pin({
            let held = Load::Held(gate.clone());
            case.cache.get_or_load(&2, || run(held))
        });
        begin(&case.time, &mut running);
        let before = case.cache.stats();
        case.time.block_on(verb(case.cache.clone(), Load::Value));
        assert_eq!(
            end(&before, &case.cache.stats()),
            "failed",
            "{name}, refused"
        );
        gate.open();
        case.time.block_on(running).unwrap();
        let before = case.cache.stats();
        case.time
            .block_on(bypass(verb(case.cache.clone(), Load::Value)));
        assert_eq!(end(&before, &case.cache.stats()), "bypassed", "{name}");
        let before = case.cache.stats();
        let mut dropped = verb(case.cache.clone(), Load::Pending);
        begin(&case.time, &mut dropped);
        drop(dropped);
        assert_eq!(end(&before, &case.cache.stats()), "abandoned", "{name}");
    }
}

/// The deadline and the end of a panic are not the cache's to give.
#[test]
fn w2_a_call_past_the_cache_that_panics_or_is_late_fails_and_counts_once() {
    for (name, verb) in VERBS {
        let case = Case::new(verb);
        for load in [Load::Panic, Load::Pending] {
            let before = case.cache.stats();
            let call = bypass(verb(case.cache.clone(), load));
            let call = case.time.spawn(call);
            case.time.advance(SECOND);
            assert!(call.is_finished(), "{name}");
            case.time.block_on(call);
            assert_eq!(end(&before, &case.cache.stats()), "failed", "{name}");
        }
    }
}

#[test]
fn w2_looks_are_counted_once_and_changes_are_no_calls() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    time.block_on(async {
        let before = cache.stats();
        assert_eq!(cache.get(&1).await, Got::Unknown);
        assert_eq!(end(&before, &cache.stats()), "missed");
        let before = cache.stats();
        cache.get_many(&[1, 1]).await;
        assert_eq!(end(&before, &cache.stats()), "missed");
        let before = cache.stats();
        cache.put(&1, 1).await;
        cache.put_many([(&2, 2), (&3, 3)]).await;
        cache.put_with(cache.ticket(&4).await, 4).await;
        cache.expire(&2).await;
        cache.invalidate_many(&[3, 4]).await;
        cache.invalidate_tag("fruit").await;
        cache.explain(&1).await;
        let changes = cache.stats().since(&before);
        assert!(changes.calls().iter().all(|(_, count)| *count == 0));
        assert_eq!((changes.puts, changes.invalidations), (4, 4));
        let before = cache.stats();
        cache.get(&1).await;
        assert_eq!(end(&before, &cache.stats()), "near");
        cache.clear().await;
    });
    assert_eq!(cache.stats().clears, 1);
}

#[test]
fn sp64_counts_are_each_caches_own_and_a_difference_takes_the_place_of_a_reset() {
    let time = Virtual::new();
    let larder = larder(&time);
    let one: Numbers = larder.cache("one").build().unwrap();
    let two: Cache<u64, String> = larder.cache("two").build().unwrap();
    time.block_on(async {
        one.put(&1, 1).await;
        one.get(&1).await;
        let (first, reader) = (one.stats(), one.stats());
        one.get(&1).await;
        one.get(&2).await;
        let since = one.stats().since(&first);
        assert_eq!((since.near, since.missed, since.puts), (1, 1, 0));
        assert_eq!(since.entries, 1, "a gauge is as it is now");
        assert_eq!(
            one.stats().since(&reader).near,
            1,
            "nobody else lost a count"
        );
    });
    assert_eq!(two.stats(), Stats::default());
    let names: Vec<_> = larder
        .stats()
        .into_iter()
        .map(|(name, _)| name.to_string())
        .collect();
    assert_eq!(names, ["one", "two"]);
}

#[test]
fn a_batch_hears_what_its_results_say_of_themselves() {
    let time = Virtual::new();
    let cache = numbers(&time).build().unwrap();
    let load = |keys: Vec<u64>| async move {
        let say = |key| {
            (
                key,
                Loaded::new(key)
                    .ttl(SECOND * key as u32)
                    .tag(format!("{key}")),
            )
        };
        keys.into_iter().map(say).collect::<Vec<_>>()
    };
    time.block_on(async {
        drop(cache.get_or_load_many(&[1, 2, 3], load).await);
        cache.invalidate_tag("3").await;
        time.hand().advance(SECOND);
        let held = cache.get_many(&[1, 2, 3]).await;
        let held: Vec<_> = held.into_iter().map(|got| got.value().is_some()).collect();
        assert_eq!(held, [false, true, false]);
    });
}
