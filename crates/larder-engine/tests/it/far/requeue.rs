//! What was acknowledged lately and is sent again after a reconnect.

use std::time::Duration;

use larder_engine::{CacheBuilder, Change, Outcome, Why};
use larder_kit::Virtual;

use super::rig::{Pair, Rig, TAG};
use super::support::{beat, shelf};
use crate::support::{SECOND, Source};

const WINDOW: Duration = Duration::from_secs(10);

/// Two nodes, of which the first remembers for so long; and so many changes.
fn pair(queue: usize) -> Pair {
    let time = Virtual::new();
    let shelf = shelf(&time);
    let cache = |cache: CacheBuilder<u64, u64>| cache.far().queue(queue);
    let one = Rig::with(&time, &shelf, |larder| larder.requeue(WINDOW), cache);
    let two = Rig::over(&time, &shelf);
    beat(&time);
    Pair {
        source: Source::ready(),
        time,
        shelf,
        one,
        two,
    }
}

impl Pair {
    fn reconnect(&self) {
        self.one.bus.cut();
        self.one.bus.mend();
    }

    /// What was sent again, and what waits.
    fn again(&self) -> (u64, usize) {
        let far = self.one.numbers.stats().far_tier.unwrap();
        (far.requeued, far.pending)
    }

    fn done(&self, change: impl Future<Output = Change>) {
        assert_eq!(self.time.block_on(change), Change::Done);
    }
}

#[test]
fn what_was_acknowledged_lately_is_not_believed_until_it_is_acknowledged_again() {
    let pair = pair(1024);
    pair.done(pair.one.numbers.invalidate(&1));
    // As after a failover that has forgotten it.
    pair.fill_far();
    pair.one.bus.mend();
    assert_eq!(pair.again(), (1, 1));
    let new = pair.source.change();
    let call = pair.one.numbers.fetch(&1, move || async move { new });
    let outcome = pair.time.block_on(call).unwrap().outcome;
    assert!(
        matches!(
            outcome,
            Outcome::Loaded {
                why: Why::Fenced,
                ..
            }
        ),
        "{outcome:?}"
    );
    pair.time.advance(SECOND);
    assert_eq!(pair.again(), (1, 0));
    assert_eq!(pair.two.held(&pair.time), None, "a message has told it");
    assert_eq!(pair.fetch(), new);
}

#[test]
fn each_kind_of_change_is_sent_again_once_and_what_is_older_than_the_window_is_not() {
    let pair = pair(1024);
    let numbers = &pair.one.numbers;
    pair.done(numbers.invalidate(&9));
    pair.time.advance(WINDOW + SECOND);
    pair.done(numbers.invalidate(&1));
    pair.done(numbers.invalidate(&1));
    pair.done(numbers.expire(&2));
    pair.done(numbers.put(&3, 3));
    pair.done(numbers.invalidate_many([&4, &5]));
    pair.done(numbers.put_many([(&6, 6)]));
    pair.done(numbers.invalidate_tag(TAG));
    pair.reconnect();
    assert_eq!(pair.again(), (7, 7));
    assert_eq!(pair.held(), None);
    pair.time.advance(SECOND);
    assert_eq!(pair.again(), (7, 0));
    assert_eq!(pair.one.numbers.stats().far_tier.unwrap().queued, 7);
}

/// The server that acknowledged it again may be the one that is left.
#[test]
fn what_was_acknowledged_again_is_remembered_again() {
    let pair = pair(1024);
    pair.done(pair.one.numbers.invalidate(&1));
    for sent in 1..4 {
        pair.reconnect();
        assert_eq!(pair.again(), (sent, 1));
        pair.time.advance(SECOND);
    }
    pair.time.advance(WINDOW);
    pair.reconnect();
    assert_eq!(pair.again(), (3, 0));
}

#[test]
fn more_than_the_queue_holds_are_one_clear() {
    let pair = pair(2);
    pair.fill_far();
    for key in 2..6 {
        pair.done(pair.one.numbers.invalidate(&key));
    }
    pair.reconnect();
    assert!(pair.again().1 <= 2, "{:?}", pair.again());
    pair.time.advance(SECOND);
    assert_eq!(pair.two.held(&pair.time), None, "all of it is cleared");
}

#[test]
fn nothing_is_sent_again_unless_it_was_asked_for() {
    let pair = Pair::new();
    pair.done(pair.one.numbers.invalidate(&1));
    pair.reconnect();
    assert_eq!(pair.again(), (0, 0));
}
