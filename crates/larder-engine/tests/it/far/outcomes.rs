//! Every outcome, and every reason of a load, by a scenario that ends in it.

use std::collections::BTreeSet;
use std::fmt::Error;
use std::future::pending;

use futures_lite::future::zip;
use futures_lite::{StreamExt, stream};
use larder_engine::{Cache, Mode, Outcome, bypass, observe};
use larder_kit::{FarOperation, Fault, Virtual};

use crate::far::corrupt::Saboteur;
use crate::far::rig::{Pair, TAG};
use crate::far::support::larder;
use crate::support::{Numbers, SECOND, Source, TTL, begin, numbers, stranger};

/// The outcome's name; of a load that this call ran its reason's.
fn said(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Loaded { why, .. } => why.name(),
        outcome => outcome.detail(),
    }
}

/// What the one cached call in `call` says.
fn seen<T>(time: &Virtual, call: impl Future<Output = T>) -> &'static str {
    let (_, seen) = time.block_on(observe(call));
    assert_eq!(seen.len(), 1);
    said(seen[0].outcome())
}

fn next(time: &Virtual, cache: &Numbers) -> &'static str {
    seen(time, Source::ready().fetch(cache, 1))
}

impl Pair {
    fn next(&self) -> &'static str {
        next(&self.time, &self.one.numbers)
    }
}

/// A near cache with an old value, and what `fetch` of it says as a load does `load`.
struct Old {
    time: Virtual,
    cache: Numbers,
}

impl Old {
    fn new() -> Self {
        let time = Virtual::new();
        let cache = numbers(&time).stale(TTL).soft(SECOND).deadline(SECOND * 9);
        let cache = cache.max_loads(1).build().unwrap();
        time.block_on(cache.put(&1, 7));
        time.block_on(cache.expire(&1));
        Self { time, cache }
    }

    /// What a call says that waits as long for a load that never ends.
    fn after(&self, cache: &Numbers, wait: std::time::Duration) -> &'static str {
        let (time, cache) = (self.time.clone(), cache.clone());
        let call = self
            .time
            .spawn(async move { observe(cache.get_or_load(&1, pending::<u64>)).await });
        time.run_until_idle();
        time.advance(wait);
        said(time.block_on(call).1[0].outcome())
    }
}

type Scenario = fn() -> &'static str;

const SCENARIOS: [(&str, Scenario); 26] = [
    ("absent", || Pair::new().next()),
    ("near", || {
        let pair = Pair::new();
        pair.fetch();
        pair.next()
    }),
    ("far", || {
        let pair = Pair::new();
        pair.fill_far();
        pair.next()
    }),
    ("joined", || {
        let pair = Pair::new();
        let fetch = || pair.source.fetch(&pair.one.numbers, 1);
        let (_, second) = pair.time.block_on(zip(fetch(), fetch()));
        said(&second.unwrap().outcome)
    }),
    ("failed", || {
        let pair = Pair::new();
        let failing = || async { Err::<u64, _>(Error) };
        seen(&pair.time, pair.one.numbers.get_or_load(&1, failing))
    }),
    ("expired", || {
        let time = Virtual::new();
        let cache = numbers(&time).build().unwrap();
        next(&time, &cache);
        time.hand().advance(TTL);
        next(&time, &cache)
    }),
    ("invalidated", || {
        let time = Virtual::new();
        // One slot: every key is every other's neighbour.
        let cache = numbers(&time).capacity(1).build().unwrap();
        next(&time, &cache);
        time.block_on(cache.invalidate(&2));
        next(&time, &cache)
    }),
    ("cleared", || {
        let pair = Pair::new();
        pair.fetch();
        pair.time.block_on(pair.two.numbers.clear());
        pair.next()
    }),
    ("tag", || {
        let pair = Pair::new();
        pair.fetch();
        pair.time.block_on(pair.two.numbers.invalidate_tag(TAG));
        pair.next()
    }),
    ("refused", || {
        let time = Virtual::new();
        let cache = numbers(&time).build().unwrap();
        let stranger = time.block_on(stranger(&cache, 1));
        let source = Source::held();
        let mut leader = Box::pin(source.fetch(&cache, 1));
        begin(&time, &mut leader);
        time.block_on(cache.invalidate(&stranger));
        let mut late = Box::pin(source.fetch(&cache, 1));
        begin(&time, &mut late);
        time.block_on(cache.invalidate(&1));
        source.gate.open();
        time.block_on(leader).unwrap();
        said(&time.block_on(late).unwrap().outcome)
    }),
    ("handed-over", || {
        let time = Virtual::new();
        let cache = numbers(&time).build().unwrap();
        let mut leader = Box::pin(cache.get_or_load_scoped(&1, pending::<u64>));
        begin(&time, &mut leader);
        let source = Source::ready();
        let mut waiting = Box::pin(source.fetch(&cache, 1));
        begin(&time, &mut waiting);
        drop(leader);
        said(&time.block_on(waiting).unwrap().outcome)
    }),
    ("blind", || {
        let pair = Pair::new();
        pair.fetch();
        pair.one.bus.cut();
        pair.time.block_on(pair.two.numbers.invalidate(&1));
        pair.time.advance(SECOND * 7);
        pair.next()
    }),
    ("far-down", || {
        let pair = Pair::new();
        pair.one.failing.die(Fault::NotSent);
        pair.next()
    }),
    ("fenced", || {
        let pair = Pair::new();
        pair.fill_far();
        let failing = &pair.one.failing;
        failing.fail(FarOperation::Invalidate, Fault::NotSent, usize::MAX);
        pair.time.block_on(pair.one.numbers.invalidate(&1));
        pair.next()
    }),
    ("schema", || {
        let pair = Pair::new();
        let texts = larder(&pair.time, &pair.shelf).cache("numbers").ttl(TTL);
        let texts: Cache<u64, String> = texts.far().build().unwrap();
        let load = texts.get_or_load(&1, || async { "one".to_owned() });
        pair.time.block_on(load).unwrap();
        pair.next()
    }),
    ("corrupt", || {
        let saboteur = Saboteur::new();
        saboteur.plant(bytes::Bytes::from_static(b"junk"));
        saboteur.pair.next()
    }),
    ("absence-held", || {
        let pair = Pair::new();
        pair.time.block_on(pair.one.numbers.put(&1, None::<u64>));
        pair.next()
    }),
    ("write-only", || {
        let pair = Pair::new();
        pair.fetch();
        pair.one.numbers.switch(Mode::WriteOnly);
        pair.next()
    }),
    ("bypass", || {
        let pair = Pair::new();
        pair.fetch();
        let call = pair.source.fetch(&pair.one.numbers, 1);
        seen(&pair.time, bypass(call))
    }),
    ("stale-refresh", || {
        let time = Virtual::new();
        let cache = numbers(&time).stale(TTL).build().unwrap();
        next(&time, &cache);
        time.hand().advance(TTL + SECOND);
        next(&time, &cache)
    }),
    ("stale-error", || {
        let old = Old::new();
        let failing = || async { Err::<u64, _>(Error) };
        seen(&old.time, old.cache.get_or_load(&1, failing))
    }),
    ("stale-soft", || {
        let old = Old::new();
        old.after(&old.cache, SECOND)
    }),
    ("stale-timeout", || {
        let time = Virtual::new();
        let cache = numbers(&time).stale(TTL).deadline(SECOND).build().unwrap();
        time.block_on(cache.put(&1, 7));
        time.block_on(cache.expire(&1));
        let old = Old {
            time,
            cache: cache.clone(),
        };
        old.after(&cache, SECOND)
    }),
    ("stale-refused", || {
        let old = Old::new();
        let mut running = Box::pin(old.cache.get_or_load(&2, pending::<u64>));
        begin(&old.time, &mut running);
        next(&old.time, &old.cache)
    }),
    ("streamed", || {
        let time = Virtual::new();
        let near = larder_engine::Larder::builder().runtime(time.clone());
        let lines = near.build().unwrap().cache("lines");
        let lines: Cache<u64, Vec<u64>> = lines.build().unwrap();
        let source = || stream::iter([Ok::<_, Error>(1)]);
        seen(&time, lines.get_or_stream(&1, source).count())
    }),
    ("loaded", || {
        let pair = Pair::new();
        let fetched = pair.source.fetch(&pair.one.numbers, 1);
        pair.time.block_on(fetched).unwrap().outcome.detail()
    }),
];

#[test]
fn w1_every_outcome_and_reason_is_reached() {
    for (expected, scenario) in SCENARIOS {
        assert_eq!(scenario(), expected);
    }
}

/// The list is whole: every name that the source gives has its scenario.
#[test]
fn w1_no_outcome_is_without_a_scenario() {
    let source = include_str!("../../../src/outcome.rs");
    let named = source.split("=> \"").skip(1);
    let named: BTreeSet<_> = named.map(|rest| &rest[..rest.find('"').unwrap()]).collect();
    let reached: BTreeSet<_> = SCENARIOS.iter().map(|(name, _)| *name).collect();
    assert_eq!(named, reached);
}
