//! Loads that those who wait for them poll.

use futures_lite::future::or;
use larder_core::{LoadError, LoadErrorKind};
use larder_flight::{Entered, Lead};
use larder_kit::Interleaved;
use shuttle::future::{block_on, yield_now};
use shuttle::thread;

use super::cache::Cache;

type Answer = Result<u64, LoadError>;

/// Leads with a load that is carried to its middle, or to its end.
async fn carry(cache: &Cache, lead: Lead<&'static str, u64>, to_its_end: bool) -> Answer {
    if let Some(version) = cache.kept() {
        lead.settle(version);
        return Ok(version);
    }
    let (keeper, ticket, load) = (cache.clone(), lead.ticket(), cache.load());
    let keep = move |version| keeper.keep(version, ticket);
    let load = |away: larder_flight::Away<u64>| async move {
        yield_now().await;
        if !to_its_end {
            away.go().await;
        }
        load.await
    };
    lead.carry(super::cache::DEADLINE, load, keep).wait().await
}

async fn call(cache: &Cache, to_its_end: bool) -> Answer {
    match cache.enter()? {
        Entered::Lead(lead) => carry(cache, lead, to_its_end).await,
        Entered::Join(waiter) => waiter.wait().await,
    }
}

#[test]
fn whoever_polls_it_there_is_one_load_and_all_hear_its_end() {
    for to_its_end in [false, true] {
        Interleaved::check(move || {
            let cache = Cache::new();
            let callers = [(); 3].map(|()| {
                let cache = cache.clone();
                thread::spawn(move || block_on(call(&cache, to_its_end)))
            });
            for caller in callers {
                assert_eq!(caller.join().unwrap().unwrap(), 1);
            }
            assert_eq!(cache.loads(), 1);
            cache.rest();
        });
    }
}

#[test]
fn a_leader_that_leaves_while_others_come_takes_nothing_along() {
    for to_its_end in [false, true] {
        Interleaved::check(move || {
            let cache = Cache::new();
            let leaver = {
                let cache = cache.clone();
                thread::spawn(move || {
                    let left = async { Err(LoadError::source("left")) };
                    drop(block_on(or(call(&cache, to_its_end), left)));
                })
            };
            let callers = [(); 2].map(|()| {
                let cache = cache.clone();
                thread::spawn(move || block_on(call(&cache, to_its_end)))
            });
            for caller in callers {
                assert_eq!(caller.join().unwrap().unwrap(), 1);
            }
            leaver.join().unwrap();
            assert_eq!(cache.loads(), 1);
            cache.rest();
        });
    }
}

#[test]
fn a_load_that_is_left_by_all_ends_alone() {
    Interleaved::check(|| {
        let cache = Cache::new();
        let leavers = [(); 2].map(|()| {
            let cache = cache.clone();
            thread::spawn(move || {
                let left = async { Err(LoadError::new(LoadErrorKind::Refused, "left")) };
                drop(block_on(or(call(&cache, true), left)));
            })
        });
        for leaver in leavers {
            leaver.join().unwrap();
        }
        cache.rest();
        assert_eq!(cache.kept(), Some(1));
    });
}
