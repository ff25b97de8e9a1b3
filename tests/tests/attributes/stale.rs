//! Options of time beyond the ttl, on a cache that sets none.

use std::time::Duration;

use larder::{Cache, LoadError, LoadErrorKind, cache_put, cacheable, observe};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, cache};

const SECOND: Duration = Duration::from_secs(1);

type Numbers = Cache<u64, usize>;

/// A cache, a count and a gate in the body; `fails` from a call on.
#[derive(Clone)]
struct Stage {
    time: Virtual,
    numbers: Numbers,
    calls: Calls,
    gate: Gate,
}

impl Stage {
    fn new() -> Self {
        let time = Virtual::new();
        Self {
            numbers: cache(&time),
            calls: Calls::default(),
            gate: Gate::opened(),
            time,
        }
    }

    async fn load(&self, fails_at: usize) -> Result<usize, LoadError> {
        let call = self.calls.enter();
        self.gate.wait().await;
        if call == fails_at {
            return Err(LoadError::new(LoadErrorKind::Source, "spilt"));
        }
        Ok(call)
    }

    #[cacheable(self.numbers, key = 1, ttl = "10s", stale = "1m")]
    async fn stale(&self, fails_at: usize) -> Result<usize, LoadError> {
        self.load(fails_at).await
    }

    #[cacheable(self.numbers, key = 1, ttl = "10s", stale = |number| SECOND * *number as u32)]
    async fn stale_by_value(&self) -> Result<usize, LoadError> {
        self.load(0).await
    }

    #[cacheable(self.numbers, key = 1, ttl = "10s", stale = "1m", max_age = "20s")]
    async fn aged(&self, fails_at: usize) -> Result<usize, LoadError> {
        self.load(fails_at).await
    }

    #[cacheable(self.numbers, key = 1, ttl = "10s", stale = "1m", soft = "100ms")]
    async fn soft(&self) -> Result<usize, LoadError> {
        self.load(0).await
    }

    #[cacheable(self.numbers, key = 1, ttl = "1m", idle = SECOND * 10)]
    async fn idle(&self) -> Result<usize, LoadError> {
        self.load(0).await
    }

    #[cacheable(self.numbers, key = no, ttl = "10s", jitter = 0.5)]
    async fn jitter(&self, no: u64) -> Result<usize, LoadError> {
        self.load(0).await
    }

    #[cacheable(self.numbers, key = 1, ttl = "10s", refresh = 0.5)]
    async fn early(&self) -> Result<usize, LoadError> {
        self.load(0).await
    }

    #[cacheable(self.numbers, key = 2, ttl = "10s", refresh = xfetch)]
    async fn early_by_chance(&self) -> Result<usize, LoadError> {
        self.load(0).await
    }

    #[cacheable(self.numbers, key = 1, error_ttl = "5s")]
    async fn failing(&self, fails_at: usize) -> Result<usize, LoadError> {
        self.load(fails_at).await
    }

    #[cacheable(
        self.numbers,
        key = 1,
        error_ttl = |error| error.to_string().contains("spilt").then_some(SECOND * 5),
    )]
    async fn failing_so(&self, fails_at: usize) -> Result<usize, LoadError> {
        self.load(fails_at).await
    }

    #[cache_put(self.numbers, key = 1, ttl = "10s", stale = "1m")]
    async fn put(&self) -> Result<usize, LoadError> {
        Ok(100)
    }

    #[cacheable(self.numbers, key = 1, ttl = "10s", stale = "1m", load = hand_over)]
    async fn held(&self, fails_at: usize) -> Result<usize, LoadError> {
        self.load(fails_at).await
    }

    #[cacheable(self.numbers, key = 1, ttl = "10s", stale = "1m")]
    fn blocking(&self, fails_at: usize) -> Result<usize, LoadError> {
        futures_lite::future::block_on(self.load(fails_at))
    }

    fn advance(&self, seconds: u32) {
        self.time.advance(SECOND * seconds);
    }
}

#[test]
fn t4_within_the_window_the_old_value_is_given_while_one_load_runs() {
    let stage = Stage::new();
    let call = || stage.time.block_on(stage.stale(0)).unwrap();
    assert_eq!(call(), 1);
    stage.advance(11);
    assert_eq!(call(), 1);
    stage.time.run_until_idle();
    assert_eq!(call(), 2);
    stage.advance(71);
    assert_eq!(call(), 3, "past the window it is waited for");
}

#[test]
fn t4_a_failing_load_gives_the_old_value_and_spares_the_source() {
    let stage = Stage::new();
    assert_eq!(stage.time.block_on(stage.stale(2)).unwrap(), 1);
    stage.advance(11);
    for _ in 0..3 {
        let (number, why) = stage.time.block_on(observe(stage.stale(2)));
        assert_eq!(number.unwrap(), 1);
        assert!(why[0].outcome().detail().starts_with("stale"), "{why:?}");
        stage.time.run_until_idle();
    }
    assert_eq!(stage.calls.count(), 2);
}

#[test]
fn s2_the_window_may_be_the_loaded_values_own() {
    let stage = Stage::new();
    let call = || stage.time.block_on(stage.stale_by_value()).unwrap();
    assert_eq!(call(), 1);
    stage.advance(12);
    assert_eq!(call(), 2, "a window of one second");
    stage.advance(11);
    assert_eq!(call(), 2, "and one of two");
}

#[test]
fn t4_the_age_cap_ends_it() {
    let stage = Stage::new();
    assert_eq!(stage.time.block_on(stage.aged(2)).unwrap(), 1);
    stage.advance(19);
    assert_eq!(stage.time.block_on(stage.aged(2)).unwrap(), 1);
    stage.time.run_until_idle();
    stage.advance(2);
    assert_eq!(stage.time.block_on(stage.aged(2)).unwrap(), 3);
}

#[test]
fn l6_past_the_soft_deadline_the_old_value_is_given_and_the_load_goes_on() {
    let stage = Stage::new();
    assert_eq!(stage.time.block_on(stage.soft()).unwrap(), 1);
    stage.advance(11);
    stage.gate.close();
    let there = stage.clone();
    let call = stage.time.spawn(async move { there.soft().await });
    stage.time.run_until_idle();
    stage.time.advance(Duration::from_millis(100));
    assert_eq!(stage.time.block_on(call).unwrap(), 1);
    stage.gate.open();
    stage.time.run_until_idle();
    assert_eq!(stage.time.block_on(stage.soft()).unwrap(), 2);
    assert_eq!(stage.calls.count(), 2);
}

#[test]
fn an_unused_value_ends_and_a_used_one_goes_on() {
    let stage = Stage::new();
    let call = || stage.time.block_on(stage.idle()).unwrap();
    for _ in 0..4 {
        assert_eq!(call(), 1);
        stage.advance(9);
    }
    stage.advance(2);
    assert_eq!(call(), 2);
}

#[test]
fn bug_d8_jitter_shortens_and_spreads() {
    let stage = Stage::new();
    let load = || {
        for no in 0..100 {
            stage.time.block_on(stage.jitter(no)).unwrap();
        }
        stage.calls.count()
    };
    assert_eq!(load(), 100);
    stage.time.advance(Duration::from_millis(4_900));
    assert_eq!(load(), 100, "never by more than the half");
    stage.time.advance(Duration::from_millis(2_600));
    let at_three_quarters = load() - 100;
    assert!((20..80).contains(&at_three_quarters), "{at_three_quarters}");
}

#[test]
fn t5_a_refresh_before_the_end_is_waited_for_by_nobody() {
    let stage = Stage::new();
    let call = || stage.time.block_on(stage.early()).unwrap();
    assert_eq!(call(), 1);
    stage.advance(4);
    assert_eq!(call(), 1);
    stage.time.run_until_idle();
    assert_eq!(stage.calls.count(), 1);
    stage.advance(2);
    assert_eq!(call(), 1);
    stage.time.run_until_idle();
    assert_eq!(call(), 2);
    assert_eq!(stage.time.block_on(stage.early_by_chance()).unwrap(), 3);
}

#[test]
fn l4_an_error_is_kept_where_that_was_asked_for() {
    let stage = Stage::new();
    for _ in 0..3 {
        assert!(stage.time.block_on(stage.failing(1)).is_err());
    }
    assert_eq!(stage.calls.count(), 1);
    stage.advance(5);
    assert_eq!(stage.time.block_on(stage.failing(1)).unwrap(), 2);

    let stage = Stage::new();
    for _ in 0..3 {
        assert!(stage.time.block_on(stage.failing_so(1)).is_err());
    }
    assert_eq!(stage.calls.count(), 1);
}

#[test]
fn a_put_has_a_window_too() {
    let stage = Stage::new();
    assert_eq!(stage.time.block_on(stage.put()).unwrap(), 100);
    stage.advance(11);
    assert_eq!(stage.time.block_on(stage.stale(0)).unwrap(), 100);
}

#[test]
fn a_load_in_the_call_is_waited_for_and_gives_the_old_value_if_it_fails() {
    let stage = Stage::new();
    assert_eq!(stage.time.block_on(stage.held(2)).unwrap(), 1);
    stage.advance(11);
    assert_eq!(stage.time.block_on(stage.held(2)).unwrap(), 1, "it failed");
    stage.advance(11);
    assert_eq!(stage.time.block_on(stage.held(2)).unwrap(), 3);

    let stage = Stage::new();
    assert_eq!(stage.blocking(2).unwrap(), 1);
    stage.advance(11);
    assert_eq!(stage.blocking(2).unwrap(), 1, "it failed");
    stage.advance(11);
    assert_eq!(stage.blocking(2).unwrap(), 3);
}
