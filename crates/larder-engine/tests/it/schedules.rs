//! Many orders of events in virtual time, each from a seed, under the checker.

use std::sync::Arc;
use std::time::Duration;

use larder_core::Runtime;
use larder_engine::Cache;
use larder_kit::Virtual;

use crate::history::{History, Subject};
use crate::subjects::{ByHand, Forgetful};
use crate::support::{SECOND, larder};

const KEYS: u64 = 3;
const READERS: u64 = 5;
const STEPS: u64 = 20;

/// A pause of up to `most` milliseconds; often none.
async fn pause(time: &Virtual, most: u64) {
    let millis = (time.random() % (most * 2)).saturating_sub(most);
    time.sleep(Duration::from_millis(millis)).await;
}

fn reader(time: &Virtual, history: &Arc<History>, subject: &Arc<impl Subject + 'static>) {
    let (time, history, subject) = (time.clone(), Arc::clone(history), Arc::clone(subject));
    time.clone().spawn(async move {
        for _ in 0..STEPS {
            pause(&time, 20).await;
            let key = time.random() % KEYS;
            let (source, clock) = (Arc::clone(&history), time.clone());
            let load = async move {
                pause(&clock, 5).await;
                let version = source.source(key);
                pause(&clock, 50).await;
                version
            };
            history.read(&*subject, key, load).await;
        }
    });
}

fn writer(time: &Virtual, history: &Arc<History>, subject: &Arc<impl Subject + 'static>, key: u64) {
    let (time, history, subject) = (time.clone(), Arc::clone(history), Arc::clone(subject));
    time.clone().spawn(async move {
        for _ in 0..STEPS {
            pause(&time, 30).await;
            history.write(&*subject, key, time.random()).await;
        }
    });
}

/// What is found broken in the schedule of a seed.
fn broken<S: Subject + 'static>(seed: u64, subject: impl FnOnce(&Virtual) -> S) -> Vec<String> {
    let time = Virtual::seeded(seed);
    let history = Arc::new(History::new(KEYS));
    let subject = Arc::new(subject(&time));
    (0..READERS).for_each(|_| reader(&time, &history, &subject));
    (0..KEYS).for_each(|key| writer(&time, &history, &subject, key));
    time.advance(SECOND * 60);
    assert!(
        (0..KEYS).all(|key| history.source(key) == STEPS),
        "all wrote"
    );
    history.broken()
}

fn cache(time: &Virtual) -> Cache<u64, u64> {
    let cache = larder(time).cache("checked").ttl(Duration::from_millis(40));
    cache.build().unwrap()
}

#[test]
fn the_cache_breaks_in_none_of_them() {
    for seed in 0..300 {
        assert_eq!(broken(seed, cache), [""; 0], "seed {seed}");
    }
}

#[test]
fn nor_does_one_whose_keys_all_share_a_slot() {
    for seed in 0..100 {
        let one = |time: &Virtual| larder(time).cache("one").capacity(1).build().unwrap();
        assert_eq!(broken(seed, one), [""; 0], "seed {seed}");
    }
}

#[test]
fn a_cache_written_by_hand_breaks() {
    let found = (0..20).filter(|&seed| !broken(seed, |_| ByHand::default()).is_empty());
    assert!(found.count() > 10);
}

#[test]
fn writers_who_forget_a_key_are_found() {
    let found = (0..20).filter(|&seed| {
        let endless = |time: &Virtual| larder(time).cache("forgetful").build().unwrap();
        !broken(seed, |time| Forgetful(endless(time))).is_empty()
    });
    assert_eq!(found.count(), 20);
}
