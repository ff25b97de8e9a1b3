//! Functions that block their thread.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::{self, yield_now};
use std::time::Duration;

use futures_lite::future::block_on;
use larder::{Cache, LoadError, LoadErrorKind, cache_evict, cache_put, cacheable};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, cache};

type Numbers = Cache<u64, usize>;

#[cacheable(cache, key = no, deadline = "2s")]
fn number(cache: &Numbers, no: u64, calls: &Calls, gate: &Gate) -> Result<usize, LoadError> {
    let call = calls.enter();
    block_on(gate.wait());
    Ok(call)
}

/// What threads share: a cache on virtual time, a count, a gate in the body.
#[derive(Clone)]
struct Stage {
    time: Virtual,
    numbers: Numbers,
    calls: Calls,
    gate: Gate,
}

impl Stage {
    fn new(gate: Gate) -> Self {
        let time = Virtual::new();
        Self {
            numbers: cache(&time),
            calls: Calls::default(),
            time,
            gate,
        }
    }

    fn number(&self, no: u64) -> Result<usize, LoadError> {
        number(&self.numbers, no, &self.calls, &self.gate)
    }

    /// A thread that calls for key 1.
    fn call(&self) -> thread::JoinHandle<Result<usize, LoadErrorKind>> {
        let stage = self.clone();
        thread::spawn(move || stage.number(1).map_err(|error| error.kind()))
    }

    /// Until so many callers are parked: each watches the deadline.
    fn parked(&self, count: usize) {
        while self.time.sleepers() < count {
            yield_now();
        }
    }
}

#[test]
fn l5_a_hit_does_not_enter_the_body_and_needs_no_await() {
    let stage = Stage::new(Gate::opened());
    for _ in 0..3 {
        assert_eq!(stage.number(1).unwrap(), 1);
    }
    assert_eq!(stage.number(2).unwrap(), 2);
    let stats = stage.numbers.stats();
    assert_eq!((stats.loaded, stats.near), (2, 2));
}

#[test]
fn l1_callers_park_while_the_first_runs_the_body_in_its_thread() {
    let stage = Stage::new(Gate::closed());
    let first = stage.call();
    block_on(stage.gate.arrived(1));
    let others = [stage.call(), stage.call()];
    stage.parked(2);
    stage.gate.open();
    assert_eq!(first.join().unwrap(), Ok(1));
    assert_eq!(others.map(|other| other.join().unwrap()), [Ok(1), Ok(1)]);
    assert_eq!(stage.calls.count(), 1);
    assert_eq!(stage.numbers.stats().joined, 2);
}

#[test]
fn l3_nobody_is_parked_longer_than_the_deadline_and_a_late_result_is_refused() {
    let stage = Stage::new(Gate::closed());
    let first = stage.call();
    block_on(stage.gate.arrived(1));
    let other = stage.call();
    stage.parked(1);
    stage.time.advance(Duration::from_secs(2));
    assert_eq!(other.join().unwrap(), Err(LoadErrorKind::TimedOut));
    stage.gate.open();
    assert_eq!(first.join().unwrap(), Err(LoadErrorKind::TimedOut));
    assert_eq!(stage.number(1).unwrap(), 2, "the key is free");
    assert_eq!(stage.numbers.stats().running, 0);
}

#[test]
fn l1_blocking_and_async_functions_join_each_other() {
    #[cacheable(cache, key = no)]
    async fn awaited(cache: &Numbers, no: u64, gate: &Gate) -> Result<usize, LoadError> {
        gate.wait().await;
        Ok(70)
    }
    let stage = Stage::new(Gate::closed());
    let (numbers, gate) = (stage.numbers.clone(), stage.gate.clone());
    let led = stage
        .time
        .spawn(async move { awaited(&numbers, 1, &gate).await });
    stage.time.run_until_idle();
    let asleep = stage.time.sleepers();
    let parked = stage.call();
    stage.parked(asleep + 1);
    stage.gate.open();
    stage.time.run_until_idle();
    assert_eq!(parked.join().unwrap(), Ok(70));
    assert_eq!(stage.time.block_on(led).unwrap(), 70);

    block_on(stage.numbers.clear());
    stage.gate.close();
    let first = stage.call();
    block_on(stage.gate.arrived(1));
    let (numbers, gate) = (stage.numbers.clone(), stage.gate.clone());
    let joined = stage
        .time
        .spawn(async move { awaited(&numbers, 1, &gate).await });
    stage.time.run_until_idle();
    stage.gate.open();
    assert_eq!(first.join().unwrap(), Ok(1));
    assert_eq!(stage.time.block_on(joined).unwrap(), 1);
}

#[cacheable(cache, key = no)]
fn nested(cache: &Numbers, no: u64, inner: u64) -> Result<usize, LoadError> {
    match inner {
        0 => Ok(7),
        again => nested(cache, again, 0),
    }
}

#[test]
fn l5_a_function_that_calls_itself_for_its_own_key_is_an_error_at_once() {
    let stage = Stage::new(Gate::opened());
    let error = nested(&stage.numbers, 1, 1).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Recursive);
    assert_eq!(nested(&stage.numbers, 1, 2).unwrap(), 7);
}

#[test]
fn l4_a_panic_is_an_error_for_all_and_the_key_goes_on() {
    #[cacheable(cache, key = 1)]
    fn fails(cache: &Numbers, gate: &Gate, panics: bool) -> Result<usize, LoadError> {
        block_on(gate.wait());
        assert!(!panics, "spilt");
        Ok(7)
    }
    let stage = Stage::new(Gate::closed());
    let call = || {
        let stage = stage.clone();
        thread::spawn(move || fails(&stage.numbers, &stage.gate, true))
    };
    let first = call();
    block_on(stage.gate.arrived(1));
    let other = call();
    stage.parked(1);
    stage.gate.open();
    for call in [first, other] {
        let error = call.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Panicked);
        assert!(error.to_string().contains("spilt"));
    }
    assert_eq!(fails(&stage.numbers, &stage.gate, false).unwrap(), 7);
}

/// Neither `Clone` nor `Send`: the body runs where it was called.
struct Shop {
    numbers: Numbers,
    sold: Rc<Cell<u64>>,
}

impl Shop {
    #[cacheable(
        self.numbers,
        key = no,
        condition = no < 10,
        unless = |number| *number == 0,
        ttl = |number| Duration::from_secs(*number as u64 + by),
        tags = |_| [note.unwrap_or("none")],
    )]
    fn number(&self, no: u64, by: u64, note: Option<&str>) -> Result<usize, LoadError> {
        self.sold.set(self.sold.get() + 1);
        Ok(no as usize)
    }

    #[cache_put(self.numbers, key = |saved| *saved as u64)]
    #[cache_evict(self.numbers, tags = ["shelf"])]
    fn save(&mut self, no: usize, fails: bool) -> Result<usize, LoadError> {
        self.sold = Rc::default();
        if fails {
            return Err(LoadError::new(LoadErrorKind::Source, "no"));
        }
        Ok(no)
    }

    #[cache_put(self.numbers, key = no)]
    fn renew(&self, no: u64) -> usize {
        no as usize + 100
    }

    #[cache_evict(self.numbers, key = no, before)]
    fn remove(&self, no: u64) -> Option<u64> {
        None.or(Some(no))
    }
}

#[test]
fn the_options_are_those_of_an_async_function() {
    let time = Virtual::new();
    let mut shop = Shop {
        numbers: cache(&time),
        sold: Rc::default(),
    };
    let held = |shop: &Shop, no: u64| block_on(shop.numbers.get(&no)).value();
    for _ in 0..2 {
        assert_eq!(shop.number(3, 1, Some("shelf")).unwrap(), 3);
        assert_eq!(shop.number(0, 1, None).unwrap(), 0);
        assert_eq!(shop.number(10, 1, None).unwrap(), 10);
    }
    assert_eq!(shop.sold.get(), 5);
    time.advance(Duration::from_secs(3));
    assert!(held(&shop, 3).is_some());
    time.advance(Duration::from_secs(1));
    assert!(held(&shop, 3).is_none(), "its ttl was its own");

    shop.number(3, 1, Some("shelf")).unwrap();
    assert!(shop.save(8, true).is_err());
    assert!(held(&shop, 3).is_some() && held(&shop, 8).is_none());
    assert_eq!(shop.save(8, false).unwrap(), 8);
    assert!(held(&shop, 3).is_none());
    assert_eq!(held(&shop, 8), Some(Arc::new(8)));
    assert_eq!(shop.renew(8), 108);
    assert_eq!(held(&shop, 8), Some(Arc::new(108)));
    assert_eq!(shop.remove(8), Some(8));
    assert!(held(&shop, 8).is_none());
}

#[test]
fn a_cache_of_its_own_and_an_error_of_its_own() {
    #[derive(Debug, Clone, PartialEq, thiserror::Error)]
    #[error("closed")]
    struct Closed;
    #[cacheable(ttl = "5m", map_error = |_| Closed)]
    fn rate(from: &str, to: &str) -> Result<usize, Closed> {
        if from == to {
            Err(Closed)
        } else {
            Ok(from.len() + to.len())
        }
    }
    assert_eq!(rate("EUR", "CHF"), Ok(6));
    assert_eq!(rate("EUR", "EUR"), Err(Closed));
    let held = block_on(rate::cache().get(&("EUR", "CHF"))).value();
    assert_eq!(held, Some(Arc::new(6)));
}

#[cacheable(ttl = "5m")]
fn says(no: u64) -> Result<u64, LoadError> {
    Ok(no)
}

#[cacheable(ttl = "5m")]
fn says_nothing(no: u64) -> u64 {
    no
}

/// On smol, whose threads run tasks.
#[test]
fn on_a_thread_that_runs_tasks_a_miss_would_block_and_a_hit_does_not() {
    let on_a_task = |no| smol::block_on(smol::spawn(async move { says(no).map_err(|e| e.kind()) }));
    assert_eq!(on_a_task(1), Err(LoadErrorKind::WouldBlock));
    assert_eq!(says::cache().stats().loaded, 0);
    let off_it = smol::block_on(smol::unblock(|| says(1).map_err(|error| error.kind())));
    assert_eq!(off_it, Ok(1));
    assert_eq!(on_a_task(1), Ok(1), "a hit");
    // What cannot say so runs as it would without a cache.
    let bare = smol::block_on(smol::spawn(async { says_nothing(1) }));
    assert_eq!(bare, 1);
    let stats = says_nothing::cache().stats();
    assert_eq!((stats.bypassed, stats.loaded), (1, 0));
}

#[test]
fn inside_a_load_of_the_cache_a_miss_would_block() {
    let numbers = larder::Larder::builder().build().unwrap();
    let numbers: Numbers = numbers.cache("outer").build().unwrap();
    let load = || async { says(77).map(|no| no as usize) };
    let error = smol::block_on(numbers.get_or_load(&1, load)).unwrap_err();
    let cause: LoadErrorKind = error
        .downcast_ref::<LoadError>()
        .map_or(error.kind(), LoadError::kind);
    assert_eq!(cause, LoadErrorKind::WouldBlock);
}
