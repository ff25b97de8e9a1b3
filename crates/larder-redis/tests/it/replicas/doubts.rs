//! What is not known of another master: a wait there says nothing of what was changed here.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use larder_core::far::Guarded;
use larder_redis::Redis;

use super::master::{Master, Shop, TIME};
use crate::deals;

/// A master all of whose replicas have everything.
fn master() -> Arc<Master> {
    let master = Arc::new(Master::default());
    master.replicas.store(2, Ordering::Relaxed);
    master
}

#[test]
fn a_wait_at_another_master_is_none() {
    let shop = Shop::over(master().wire(), master().wire());
    shop.change();
    assert_eq!(shop.unreplicated(), 1);
    assert_eq!(shop.waits.names(), [["SET", "WAIT"]]);
}

/// Both wires lead to the new master, which never had what was acknowledged by the old one.
#[test]
fn a_change_whose_connection_was_replaced_before_the_wait_is_not_known_to_be_there() {
    let shop = Shop::new(2);
    shop.waits.answers.close();
    let change = shop.begin();
    shop.changes.generation.fetch_add(1, Ordering::Relaxed);
    shop.waits.answers.open();
    shop.time.run_until_idle();
    assert!(change.is_finished());
    assert_eq!(shop.unreplicated(), 1);
    shop.change();
    assert_eq!(shop.unreplicated(), 1, "the new one is known again");
}

#[test]
fn a_change_over_two_connections_is_not_waited_for() {
    let shop = Shop::new(2);
    shop.changes.answers.close();
    let change = shop.begin();
    shop.changes.generation.fetch_add(1, Ordering::Relaxed);
    shop.changes.answers.open();
    shop.time.run_until_idle();
    assert!(change.is_finished());
    assert_eq!(shop.unreplicated(), 1);
    assert!(shop.waits.names().is_empty());
}

#[test]
fn a_wire_that_does_not_know_its_connection_claims_nothing() {
    let shop = Shop::new(2);
    shop.changes.generation.store(0, Ordering::Relaxed);
    shop.change();
    assert_eq!(shop.unreplicated(), 1);
    assert!(shop.waits.names().is_empty());
}

/// It copies all from the other master, the mark among it, but not what was changed here before.
#[test]
fn a_server_that_follows_the_one_that_waited_is_not_taken_for_it() {
    let (old, new) = (master(), master());
    let (changes, waits) = (old.wire(), new.wire());
    let shop = Shop::over(changes, waits);
    shop.waits.answers.close();
    let change = shop.begin();
    old.copies(&new);
    old.follows.store(true, Ordering::Relaxed);
    shop.waits.answers.open();
    shop.time.run_until_idle();
    assert!(change.is_finished());
    assert_eq!(shop.unreplicated(), 1);
}

#[test]
fn marks_of_two_stores_do_not_hide_each_other() {
    let master = master();
    let shop = Shop::over(master.wire(), master.wire());
    let other = Redis::over(master.wire(), shop.time.runtime(), "larder");
    let other = other.wait_for_replicas(master.wire(), 2, TIME).unwrap();
    // All wait for their answers at once.
    shop.waits.answers.close();
    let change = shop.begin();
    let deals = deals();
    let changed = shop.time.block_on(other.invalidate(&deals, &[b"6"]));
    changed.unwrap();
    shop.waits.answers.open();
    shop.time.run_until_idle();
    assert!(change.is_finished());
    assert_eq!((shop.unreplicated(), other.counts().unreplicated), (0, 0));
}
