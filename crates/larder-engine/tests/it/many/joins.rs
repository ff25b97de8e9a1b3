//! Batches that meet other calls.

use futures_lite::future::poll_once;
use larder_core::{LoadErrorKind, Runtime};
use larder_kit::{Spawned, Virtual};

use super::source::{Answers, Many, held};
use crate::support::{SECOND, numbers, stranger};

fn values(keys: &[u64], version: u64) -> Answers {
    keys.iter()
        .map(|key| Ok(Some(key * 1000 + version)))
        .collect()
}

#[test]
fn l1_a_single_call_joins_a_batch_and_a_batch_a_single_call() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::held());
    let single = time.spawn(source.single(&cache, 1));
    time.run_until_idle();
    let batch = time.spawn(source.fetch(&cache, &[1, 2]));
    time.run_until_idle();
    let late = time.spawn(source.single(&cache, 2));
    time.run_until_idle();
    assert_eq!(source.calls(), [[1], [2]]);
    source.gate.open();
    assert_eq!(time.block_on(single).unwrap(), 1000);
    assert_eq!(time.block_on(batch), values(&[1, 2], 0));
    assert_eq!(time.block_on(late).unwrap(), 2000);
    let stats = cache.stats();
    assert_eq!((stats.loaded, stats.joined, stats.running), (2, 2, 0));
}

/// Two batches that overlap crosswise, in the lives given by `scoped`.
fn crosswise(scoped: [bool; 2]) {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::held());
    let batch = |keys: [u64; 3], scoped: bool| -> Spawned<Answers> {
        let (cache, source) = (cache.clone(), source.clone());
        time.spawn(async move {
            if scoped {
                let load = |keys| source.read(keys);
                let found = cache.get_or_load_many_scoped(&keys, load).await;
                super::source::plain(found)
            } else {
                source.fetch(&cache, &keys).await
            }
        })
    };
    let one = batch([1, 2, 3], scoped[0]);
    time.run_until_idle();
    let two = batch([3, 2, 4], scoped[1]);
    time.run_until_idle();
    let three = batch([4, 1, 5], scoped[0]);
    time.run_until_idle();
    assert_eq!(source.calls(), [vec![1, 2, 3], vec![4], vec![5]]);
    source.gate.open();
    time.run_until_idle();
    assert!(one.is_finished() && two.is_finished() && three.is_finished());
    assert_eq!(time.block_on(one), values(&[1, 2, 3], 0));
    assert_eq!(time.block_on(two), values(&[3, 2, 4], 0));
    assert_eq!(time.block_on(three), values(&[4, 1, 5], 0));
    assert_eq!(cache.stats().running, 0);
}

#[test]
fn m1_batches_that_overlap_crosswise_wait_in_no_circle() {
    for one in [false, true] {
        for two in [false, true] {
            crosswise([one, two]);
        }
    }
}

/// Many batches of random keys at random moments; all end, and each key was loaded once.
fn random_batches(seed: u64, max_loads: usize) -> u64 {
    let time = Virtual::seeded(seed);
    let cache = numbers(&time).max_loads(max_loads).build().unwrap();
    let source = Many::held();
    let mut calls = Vec::new();
    for _ in 0..30 {
        let keys: Vec<_> = (0..time.random() % 6).map(|_| time.random() % 10).collect();
        let mut call = Box::pin(source.fetch(&cache, &keys));
        let ended = time.block_on(poll_once(&mut call));
        if ended.is_none() {
            calls.push((keys, call));
        }
        match time.random() % 3 {
            0 => time.run_until_idle(),
            1 => drop(calls.pop()),
            _ => {}
        }
    }
    source.gate.open();
    time.run_until_idle();
    let mut refused = 0;
    for (keys, call) in calls {
        for (answer, key) in time.block_on(call).into_iter().zip(keys) {
            match answer {
                Err(LoadErrorKind::Refused) => refused += 1,
                answer => assert_eq!(answer, Ok(Some(key * 1000)), "seed {seed}"),
            }
        }
    }
    let mut loaded: Vec<_> = source.calls().concat();
    loaded.sort_unstable();
    let all = loaded.len();
    loaded.dedup();
    assert_eq!(loaded.len(), all, "seed {seed}: each key is loaded once");
    assert_eq!(cache.stats().running, 0, "seed {seed}");
    refused
}

#[test]
fn m1_nor_do_random_ones_also_where_few_loads_may_run() {
    let refused: u64 = (0..200).map(|seed| random_batches(seed, 256)).sum();
    assert_eq!(refused, 0);
    let refused: u64 = (0..200).map(|seed| random_batches(seed, 2)).sum();
    assert!(refused > 0, "the bound is reached");
}

#[test]
fn m1_an_invalidation_concerns_its_own_key_of_a_batch_alone() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::held());
    let other = time.block_on(stranger(&cache, 1));
    let early = time.spawn(source.fetch(&cache, &[1, other]));
    time.run_until_idle();
    source.change();
    time.block_on(cache.invalidate(&1));
    let late = time.spawn(source.fetch(&cache, &[1, other]));
    time.run_until_idle();
    assert_eq!(source.calls(), [vec![1, other], vec![1]]);
    source.gate.open();
    assert_eq!(
        time.block_on(early),
        values(&[1, other], 0),
        "it began before"
    );
    assert_eq!(
        time.block_on(late),
        [Ok(Some(1001)), Ok(Some(other * 1000))]
    );
    let held = time.block_on(held(&cache, &[1, other]));
    assert_eq!(held, [Some(1001), Some(other * 1000)]);
}

#[test]
fn a_joined_key_that_is_refused_is_loaded_by_the_batch_itself() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::held());
    let other = time.block_on(stranger(&cache, 1));
    let single = time.spawn(source.single(&cache, 1));
    time.run_until_idle();
    time.block_on(cache.invalidate(&other));
    let batch = time.spawn(source.fetch(&cache, &[1, other]));
    time.run_until_idle();
    source.change();
    time.block_on(cache.invalidate(&1));
    source.gate.open();
    assert_eq!(time.block_on(single).unwrap(), 1000);
    assert_eq!(
        time.block_on(batch),
        [Ok(Some(1001)), Ok(Some(other * 1000))]
    );
    assert_eq!(source.calls(), [vec![1], vec![other], vec![1]]);
}

#[test]
fn cfb1_a_put_answers_calls_that_come_before_the_batch_ends() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::held());
    let batch = time.spawn(source.fetch(&cache, &[1, 2]));
    time.run_until_idle();
    time.block_on(cache.put_many([(&1, 7)]));
    assert_eq!(time.block_on(source.single(&cache, 1)).unwrap(), 7);
    source.gate.open();
    assert_eq!(time.block_on(batch), values(&[1, 2], 0));
    assert_eq!(
        time.block_on(held(&cache, &[1])),
        [Some(7)],
        "the batch is older"
    );
}

#[test]
fn l5_a_batch_that_asks_for_its_own_key_is_told_so() {
    let time = Virtual::new();
    let (cache, source) = (numbers(&time).build().unwrap(), Many::ready());
    let again = cache.clone();
    let load = move |_| {
        let inner = source.fetch(&again, &[2, 3]);
        async move {
            let inner = inner.await;
            [
                (1, 1),
                (2, u64::from(inner[0] == Err(LoadErrorKind::Recursive))),
            ]
        }
    };
    let found = time.block_on(cache.get_or_load_many(&[1, 2], load));
    assert_eq!(super::source::plain(found), [Ok(Some(1)), Ok(Some(1))]);
    assert_eq!(time.block_on(held(&cache, &[3])), [Some(3000)]);
}

#[test]
fn a_batch_is_one_load_among_those_that_may_run() {
    let time = Virtual::new();
    let cache = numbers(&time).max_loads(1).build().unwrap();
    let source = Many::held();
    let one = time.spawn(source.fetch(&cache, &[1, 2, 3]));
    time.run_until_idle();
    assert_eq!(cache.stats().running, 1);
    let two = time.spawn(source.fetch(&cache, &[3, 4]));
    time.run_until_idle();
    source.gate.open();
    time.advance(SECOND);
    assert_eq!(time.block_on(one), values(&[1, 2, 3], 0));
    assert_eq!(
        time.block_on(two),
        [Ok(Some(3000)), Err(LoadErrorKind::Refused)]
    );
}
