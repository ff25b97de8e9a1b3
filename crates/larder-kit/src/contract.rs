//! The contract that every store keeps.

mod addresses;
mod basics;
mod far;
mod many;
mod place;
mod threads;
mod time;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_lite::future::block_on;
use larder_core::{AnyStore, BoxFuture, Clock, LoadError, ManualClock, Store};

use place::Place;

pub use far::{FarSuite, bus, far_violations, far_violations_within, guarded, lossy, sweep};

/// Checks that a store keeps the contract of [`Store`], called directly and through [`AnyStore`].
///
/// `make` gives an empty store that tells the time by the clock it is given. It is called for each
/// check anew. With a store in memory all checks together take about a tenth of a second.
///
/// ```
/// use larder_kit::{MapStore, contract};
/// contract::store(MapStore::new);
/// ```
///
/// # Panics
/// When a check fails; the text lists all that do.
pub fn store<S: Store>(make: impl Fn(Clock) -> S) {
    assert_none(&violations(make));
}

fn assert_none(violations: &[Violation]) {
    let lines = violations
        .iter()
        .map(|violation| format!("\n- {violation}"));
    let text: String = lines.collect();
    assert!(text.is_empty(), "the store breaks its contract:{text}");
}

/// The checks that a store fails; none if it keeps the contract. What [`store`] asserts.
pub fn violations<S: Store>(make: impl Fn(Clock) -> S) -> Vec<Violation> {
    let mut all = failed("directly", &make);
    all.extend(failed("as AnyStore", |clock| AnyStore::new(make(clock))));
    all
}

fn failed<S: Store>(path: &'static str, make: impl Fn(Clock) -> S) -> Vec<Violation> {
    let run = |check: Check<S>| {
        let hand = ManualClock::new();
        let store = make(hand.clock());
        let place = Place { store, hand };
        let end = catch_unwind(AssertUnwindSafe(|| block_on((check.run)(&place))));
        let end = end.unwrap_or_else(|panic| Err(LoadError::from_panic(&*panic).to_string()));
        let check = check.name;
        end.err().map(|text| Violation { check, path, text })
    };
    checks().into_iter().filter_map(run).collect()
}

/// What a check ends with: what is wrong, if anything.
type Verdict = Result<(), String>;

struct Check<S> {
    name: &'static str,
    run: for<'a> fn(&'a Place<S>) -> BoxFuture<'a, Verdict>,
}

macro_rules! checks {
    ($($module:ident::$name:ident),* $(,)?) => {
        fn checks<S: Store>() -> Vec<Check<S>> {
            vec![$(Check {
                name: stringify!($name),
                run: |place| Box::pin($module::$name(place)),
            }),*]
        }

        /// The names of all checks.
        pub const CHECKS: &[&str] = &[$(stringify!($name)),*];
    };
}

checks! {
    basics::what_was_put_comes_back,
    basics::nothing_is_there_before,
    basics::put_replaces_bytes_and_time,
    basics::remove_removes_and_says_so,
    addresses::addresses_share_nothing,
    time::time_left_falls_and_is_never_too_long,
    time::nothing_is_found_once_its_time_is_over,
    time::reading_prolongs_nothing,
    time::the_shortest_and_the_longest_time_are_kept,
    many::get_many_answers_in_order,
    many::remove_many_answers_in_order,
    threads::threads_see_whole_values_and_their_own,
}

/// A check that a store fails.
#[derive(Debug, Clone)]
pub struct Violation {
    check: &'static str,
    path: &'static str,
    text: String,
}

impl Violation {
    /// The check's name, one of [`CHECKS`] or of a [`FarSuite`].
    #[must_use]
    pub const fn check(&self) -> &'static str {
        self.check
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}: {}", self.check, self.path, self.text)
    }
}
