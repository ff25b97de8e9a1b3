//! Puts that race, come late, or come without a ticket that holds.

use larder_engine::{Change as Done, Outcome};
use larder_kit::{FarOperation, Fault};

use crate::far::rig::{Pair, TAG, updated};
use crate::support::SECOND;

/// Two writers change the source in one order and come to the cache in the other.
#[test]
fn of_two_writers_on_two_nodes_the_earlier_at_the_source_only_deletes() {
    let pair = Pair::new();
    pair.time.block_on(async {
        let early = pair.one.numbers.ticket(&1).await;
        let old = pair.source.change();
        let late = pair.two.numbers.ticket(&1).await;
        let new = pair.source.change();
        assert_eq!(pair.two.numbers.put_with(late, new).await, Done::Done);
        assert_eq!(pair.one.numbers.put_with(early, old).await, Done::Done);
    });
    assert_eq!(pair.held(), None);
    assert_eq!(pair.two.held(&pair.time), None);
}

#[test]
fn of_two_writers_on_one_node_the_earlier_at_the_source_only_deletes() {
    let pair = Pair::new();
    pair.time.block_on(async {
        let early = pair.one.numbers.ticket(&1).await;
        let old = pair.source.change();
        let late = pair.one.numbers.ticket(&1).await;
        let new = pair.source.change();
        let _ = pair.one.numbers.put_with(late, new).await;
        let _ = pair.one.numbers.put_with(early, old).await;
    });
    assert_eq!(pair.held(), None);
    assert_eq!(pair.fetch(), 3);
}

/// Near knows already that the ticket has fallen: to compare again far is for other nodes' changes.
#[test]
fn a_put_that_near_refuses_asks_far_to_delete_and_no_more() {
    let pair = Pair::new();
    pair.time.block_on(async {
        let early = pair.one.numbers.ticket(&1).await;
        let _ = pair.one.numbers.invalidate(&1).await;
        assert_eq!(pair.one.numbers.put_with(early, 7).await, Done::Done);
    });
    assert_eq!(pair.one.failing.calls(FarOperation::PutIf), 0);
    assert_eq!(pair.one.failing.calls(FarOperation::Invalidate), 2);
}

#[test]
fn a_put_that_runs_after_its_deadline_is_compared_still() {
    let pair = Pair::new();
    let old = pair.source.change();
    pair.one.failing.fail(FarOperation::PutIf, Fault::Late, 1);
    assert_eq!(
        pair.time.block_on(pair.one.numbers.put(&1, old)),
        Done::Queued
    );
    let late = pair.one.failing.late();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.invalidate(&1));
    for put in late {
        pair.time.block_on(put.run()).unwrap();
    }
    assert_eq!(pair.two.held(&pair.time), None);
    assert_eq!(pair.two.fetch(&pair.time, &pair.source), new);
}

#[test]
fn a_put_does_not_void_its_own_near_value() {
    let pair = Pair::new();
    pair.time.block_on(async {
        let _ = pair.one.numbers.put(&1, 7).await;
        let near = pair.one.numbers.fetch(&1, || async { 8 }).await.unwrap();
        assert_eq!(near.value, 7);
        assert!(matches!(near.outcome, Outcome::Near { .. }), "{near:?}");
    });
    let reads = pair.one.failing.calls(FarOperation::Read);
    assert_eq!(pair.held(), Some(7));
    assert_eq!(pair.one.failing.calls(FarOperation::Read), reads);
}

#[test]
fn a_put_without_a_far_ticket_deletes_what_is_there() {
    let pair = Pair::new();
    pair.fill_far();
    pair.one.failing.fail(FarOperation::Read, Fault::NotSent, 1);
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.one.numbers.put(&1, new));
    pair.time.advance(SECOND);
    assert_eq!(pair.pending(), 0);
    assert_eq!(
        pair.two.held(&pair.time),
        None,
        "no old value, and none without a ticket"
    );
    assert_eq!(pair.two.fetch(&pair.time, &pair.source), new);
}

/// The queue keeps no value: one that was put long ago would come back over a newer one.
#[test]
fn a_queued_put_is_repeated_as_an_invalidation() {
    let pair = Pair::new();
    pair.one.failing.die(Fault::NotSent);
    let old = pair.source.change();
    assert_eq!(
        pair.time.block_on(pair.one.numbers.put(&1, old)),
        Done::Queued
    );
    assert_eq!(pair.held(), Some(old), "near keeps it");
    let new = pair.source.change();
    assert_eq!(
        pair.time.block_on(pair.two.numbers.put(&1, new)),
        Done::Done
    );
    pair.one.failing.heal();
    pair.time.advance(5 * SECOND);
    assert_eq!(pair.pending(), 0);
    assert_ne!(pair.two.held(&pair.time), Some(old));
    assert_eq!(pair.fetch(), new);
    assert_eq!(pair.two.fetch(&pair.time, &pair.source), new);
}

/// The tag of a put is known when it ends, and was invalidated while its function ran.
#[test]
fn a_put_whose_tag_was_invalidated_since_its_ticket_only_deletes() {
    for own in [true, false] {
        let pair = Pair::new();
        pair.source.gate.close();
        let update = updated(&pair.one.numbers, &pair.source);
        let update = pair.time.spawn(update);
        pair.time.run_until_idle();
        let new = pair.source.change();
        let changer = if own { &pair.one } else { &pair.two };
        let _ = pair.time.block_on(changer.numbers.invalidate_tag(TAG));
        pair.source.gate.open();
        assert_eq!(pair.time.block_on(update), 1);
        assert_eq!((pair.held(), pair.two.held(&pair.time)), (None, None));
        assert_eq!(pair.fetch(), new);
    }
}

#[test]
fn a_put_voids_a_load_that_runs_elsewhere() {
    let pair = Pair::new();
    pair.source.gate.close();
    let early = pair.call();
    let new = pair.source.change();
    let _ = pair.time.block_on(pair.two.numbers.put(&1, new));
    pair.source.gate.open();
    assert_eq!(pair.time.block_on(early), 1);
    assert_eq!(pair.held(), Some(new));
}
