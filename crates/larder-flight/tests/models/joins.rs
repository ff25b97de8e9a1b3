//! Who joins whom.

use larder_core::LoadErrorKind;
use larder_flight::Entered;
use larder_kit::Interleaved;
use shuttle::future::block_on;
use shuttle::thread;

use super::cache::Cache;

#[test]
fn callers_of_one_key_run_one_load() {
    Interleaved::check(|| {
        let cache = Cache::new();
        let callers = [(); 3].map(|()| cache.caller());
        for caller in callers {
            assert_eq!(caller.join().unwrap().unwrap(), 1);
        }
        assert_eq!(cache.loads(), 1);
        cache.rest();
    });
}

#[test]
fn who_calls_after_a_change_gets_what_was_read_after_it() {
    Interleaved::check(|| {
        let cache = Cache::new();
        let before = cache.caller();
        let changes = [(); 2].map(|()| {
            let cache = cache.clone();
            thread::spawn(move || {
                let version = cache.change();
                let got = block_on(cache.call()).unwrap();
                assert!(got >= version, "{got} after {version}");
            })
        });
        for change in changes {
            change.join().unwrap();
        }
        assert!(before.join().unwrap().unwrap() >= 1);
        assert_eq!(block_on(cache.call()).unwrap(), 3);
        cache.rest();
    });
}

#[test]
fn a_leader_that_leaves_hands_over() {
    Interleaved::check(|| {
        let cache = Cache::new();
        let leaver = {
            let cache = cache.clone();
            thread::spawn(move || match cache.enter().unwrap() {
                Entered::Lead(lead) => drop(cache.lead_here(lead)),
                Entered::Join(waiter) => drop(waiter),
            })
        };
        let callers = [(); 2].map(|()| cache.caller());
        for caller in callers {
            match caller.join().unwrap() {
                Ok(version) => assert_eq!(version, 1),
                // It was not started: the right to lead was dropped.
                Err(error) => assert_eq!(error.kind(), LoadErrorKind::Refused),
            }
        }
        leaver.join().unwrap();
        cache.rest();
    });
}
