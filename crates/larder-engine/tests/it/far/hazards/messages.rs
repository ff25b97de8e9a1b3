//! Messages that do not come, and nodes that hear of nothing.

use larder_core::far::Sweep;
use larder_engine::Change as Done;

use crate::far::rig::Pair;
use crate::support::SECOND;

#[test]
fn a_gap_between_messages_raises_all() {
    let pair = Pair::new();
    pair.fetch();
    pair.one.bus.lose(1);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    assert_eq!(pair.fetch(), 1, "nothing has told this node");
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&2));
    assert_eq!(
        pair.fetch(),
        new,
        "the next message tells of the one before"
    );
}

#[test]
fn a_reconnect_raises_all() {
    let pair = Pair::new();
    pair.fetch();
    pair.one.bus.cut();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    assert_eq!(pair.fetch(), 1, "nothing has told this node");
    pair.one.bus.mend();
    assert_eq!(pair.fetch(), new);
}

/// What went by between the break and the moment from which messages come again.
#[test]
fn the_first_heartbeat_after_a_reconnect_raises_all() {
    let pair = Pair::new();
    pair.one.bus.cut();
    pair.one.bus.mend();
    pair.fetch();
    pair.one.bus.lose(1);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    assert_eq!(pair.fetch(), 1, "nothing has told this node");
    pair.time.advance(SECOND);
    assert_eq!(pair.fetch(), new, "after one heartbeat");
}

#[test]
fn a_number_that_heartbeats_know_of_and_nobody_heard_raises_all() {
    let pair = Pair::new();
    pair.fetch();
    pair.one.bus.lose(1);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    pair.time.advance(2 * SECOND);
    assert_eq!(
        pair.fetch(),
        new,
        "after two heartbeats, long before the blind ttl"
    );
}

/// A count that was lost and starts anew starts elsewhere.
#[test]
fn a_lost_number_that_starts_anew_is_a_jump() {
    let pair = Pair::new();
    pair.fetch();
    pair.time.block_on(pair.shelf.purge("numbers")).unwrap();
    pair.one.bus.lose(1);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    pair.time.advance(2 * SECOND);
    assert_eq!(pair.fetch(), new);
}

#[test]
fn the_blind_ttl_counts_from_the_ticket_and_not_from_the_insert() {
    let pair = Pair::new();
    pair.source.gate.close();
    let slow = pair.call();
    pair.one.bus.cut();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    pair.time.advance(4 * SECOND);
    pair.source.gate.open();
    assert_eq!(pair.time.block_on(slow), 1, "it came before");
    pair.time.advance(2 * SECOND);
    assert_eq!(
        pair.fetch(),
        new,
        "it was kept two seconds ago, and loaded six"
    );
}

#[test]
fn no_load_from_before_the_blind_ttl_is_joined() {
    let pair = Pair::new();
    pair.source.gate.close();
    let slow = pair.call();
    pair.one.bus.cut();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    pair.time.advance(6 * SECOND);
    let late = pair.call();
    pair.source.gate.open();
    assert_eq!(pair.time.block_on(late), new);
    assert_eq!(pair.time.block_on(slow), 1);
}

/// A silence that nobody noticed ends with a heartbeat that is quicker than the messages.
#[test]
fn the_first_heartbeat_after_a_silence_ends_no_blindness() {
    let pair = Pair::new();
    pair.fetch();
    pair.one.bus.hold();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    pair.time.hand().advance(10 * SECOND);
    pair.time.run_until_idle();
    assert_eq!(pair.fetch(), new);
}

#[test]
fn heartbeats_that_rarely_get_through_prolong_nothing() {
    let pair = Pair::new();
    pair.fetch();
    let beats = pair.one.bus.hold_heartbeat();
    pair.one.bus.lose(usize::MAX);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    pair.time.advance(4 * SECOND);
    // One of them answers, with the number of the message that was lost.
    beats.open();
    pair.time.advance(SECOND);
    beats.close();
    pair.time.advance(SECOND);
    assert_eq!(pair.fetch(), new, "six seconds later");
}

#[test]
fn changes_of_one_node_leave_its_own_values() {
    let pair = Pair::new();
    pair.fetch();
    let done = pair.time.block_on(pair.one.numbers.invalidate(&2));
    assert_eq!(done, Done::Done);
    pair.time.advance(3 * SECOND);
    pair.fetch();
    assert_eq!(pair.one.numbers.stats().near, 1);
}
