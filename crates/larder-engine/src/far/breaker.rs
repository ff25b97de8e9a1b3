//! Not waiting for what does not answer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use larder_core::Moment;

/// Opens after some failures in a row; then one operation a period may try, and its success closes.
#[derive(Debug, Default)]
pub(crate) struct Breaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    failures: u32,
    /// When open: from when on the next trial may go.
    trial: Option<Moment>,
}

const FAILURES: u32 = 5;
const PERIOD: Duration = Duration::from_secs(1);

impl Breaker {
    /// Whether an operation may go now. While open, a `true` is the period's one trial.
    pub(crate) fn admits(&self, now: Moment) -> bool {
        let mut state = self.lock();
        match state.trial {
            None => true,
            Some(at) if now < at => false,
            Some(_) => {
                state.trial = Some(now.after(PERIOD));
                true
            }
        }
    }

    /// Closes; whether it was open.
    pub(crate) fn succeeded(&self) -> bool {
        let state = std::mem::take(&mut *self.lock());
        state.trial.is_some()
    }

    /// Whether it opens by that.
    pub(crate) fn failed(&self, now: Moment) -> bool {
        let mut state = self.lock();
        state.failures = state.failures.saturating_add(1);
        if state.failures < FAILURES {
            return false;
        }
        state.trial.replace(now.after(PERIOD)).is_none()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.lock().trial.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_five_failures_tries_once_a_second_and_closes_on_success() {
        let breaker = Breaker::default();
        let start = Moment::from_nanos(0);
        for _ in 0..FAILURES {
            assert!(breaker.admits(start));
            assert!(!breaker.is_open());
            let _ = breaker.failed(start);
        }
        assert!(breaker.is_open());
        assert!(!breaker.admits(start.after(PERIOD / 2)));
        let later = start.after(PERIOD);
        assert!(breaker.admits(later), "the trial");
        assert!(!breaker.admits(later), "one trial a period");
        assert!(!breaker.failed(later), "it was open");
        assert!(breaker.succeeded() && !breaker.succeeded());
        assert!(breaker.admits(later));
    }

    #[test]
    fn a_success_between_failures_starts_the_count_anew() {
        let breaker = Breaker::default();
        let now = Moment::from_nanos(0);
        for _ in 0..3 {
            assert!((1..FAILURES).all(|_| !breaker.failed(now)));
            assert!(!breaker.succeeded());
        }
        assert!(!breaker.is_open());
    }
}
