//! How a flight ends: once, whoever is first.

use std::future::pending;

use larder_core::LoadErrorKind;
use larder_flight::Entered;
use larder_kit::Interleaved;
use shuttle::future::block_on;
use shuttle::thread;

use super::cache::{Cache, DEADLINE};

#[test]
fn a_load_that_ends_at_its_deadline_ends_once_for_all() {
    Interleaved::check(|| {
        let cache = Cache::new();
        let callers = [(); 2].map(|()| cache.caller());
        let time = cache.0.time.clone();
        let clock = thread::spawn(move || time.advance(DEADLINE));
        let answers = callers.map(|caller| caller.join().unwrap());
        clock.join().unwrap();
        for answer in &answers {
            match answer {
                Ok(version) => assert_eq!(*version, 1),
                Err(error) => assert_eq!(error.kind(), LoadErrorKind::TimedOut),
            }
        }
        assert_eq!(block_on(cache.call()).unwrap(), 1, "the key is free");
        cache.rest();
    });
}

#[test]
fn a_load_that_never_ends_leaves_nobody_waiting_past_its_deadline() {
    Interleaved::check(|| {
        let cache = Cache::new();
        let Ok(Entered::Lead(lead)) = cache.enter() else {
            panic!("nobody loads yet");
        };
        let leader = lead.start(DEADLINE, pending::<Result<u64, _>>(), |version| version);
        let time = cache.0.time.clone();
        let clock = thread::spawn(move || time.advance(DEADLINE));
        let joined = cache.enter();
        let waiter = thread::spawn(move || match joined {
            Ok(Entered::Join(waiter)) => block_on(waiter.wait()).unwrap_err().kind(),
            _ => LoadErrorKind::TimedOut,
        });
        assert_eq!(
            block_on(leader.wait()).unwrap_err().kind(),
            LoadErrorKind::TimedOut
        );
        assert_eq!(waiter.join().unwrap(), LoadErrorKind::TimedOut);
        clock.join().unwrap();
        assert_eq!(block_on(cache.call()).unwrap(), 1, "the key is free");
        cache.rest();
    });
}

#[test]
fn a_load_that_ends_with_its_last_caller_is_over_or_answers_who_came() {
    Interleaved::check(|| {
        let cache = Cache::new();
        let Ok(Entered::Lead(lead)) = cache.enter() else {
            panic!("nobody loads yet");
        };
        lead.end_with_callers();
        let caller = cache.caller();
        let leader = lead.start(DEADLINE, cache.load(), |version| version);
        drop(leader);
        assert_eq!(caller.join().unwrap().unwrap(), 1);
        cache.rest();
    });
}
