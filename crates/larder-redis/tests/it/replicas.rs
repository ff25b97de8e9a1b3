//! Waiting for replicas, over wires that answer what a test tells them to.

mod doubts;
mod master;
mod rounds;

use larder_core::far::{Barrier, Guarded, Want};
use larder_redis::{Redis, WaitRefused};

use crate::told::{Told, empty};
use crate::{deals, over};
use master::{Shop, TIME};

#[test]
fn each_change_waits_over_a_wire_of_its_own_and_no_read_does() {
    let shop = Shop::new(2);
    let deals = &deals();
    let read = shop.redis.read(deals, &[b"5"], &[], Want::Load);
    shop.time.block_on(read).unwrap();
    assert!(shop.waits.names().is_empty());
    let keys: &[&[u8]] = &[b"5"];
    let changes = [
        shop.redis.invalidate(deals, keys),
        shop.redis.expire(deals, keys),
        shop.redis.drop_barrier(deals, Barrier::All),
    ];
    for change in changes {
        shop.time.block_on(change).unwrap();
    }
    assert_eq!(shop.waits.names(), [["SET", "WAIT"]; 3]);
    let asked = shop.changes.names().concat();
    assert!(!asked.contains(&"WAIT"), "{asked:?}");
    assert_eq!(shop.unreplicated(), 0);
}

#[test]
fn too_few_replicas_are_counted_and_the_change_is_done() {
    let shop = Shop::new(1);
    shop.change();
    assert_eq!(shop.unreplicated(), 1);
}

#[test]
fn clones_made_before_wait_as_well() {
    let master = Shop::new(1);
    let time = &master.time;
    let before = Redis::over(master.changes.clone(), time.runtime(), "larder");
    let waiting = before
        .clone()
        .wait_for_replicas(master.waits.clone(), 2, TIME);
    time.block_on(before.invalidate(&deals(), &[b"5"])).unwrap();
    assert_eq!(waiting.unwrap().counts().unreplicated, 1);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |waits, count, time| {
        let redis = over(&Told::new(empty));
        redis.wait_for_replicas(waits, count, time).unwrap_err()
    };
    let wire = || Told::new(empty);
    assert_eq!(refused(Told::cluster(empty), 1, TIME), WaitRefused::Cluster);
    assert_eq!(refused(wire(), 0, TIME), WaitRefused::Zero);
    assert_eq!(refused(wire(), 1, TIME / 1000), WaitRefused::Zero);
    let own = wire();
    let same = over(&own).wait_for_replicas(own, 1, TIME);
    assert_eq!(same.unwrap_err(), WaitRefused::SameWire);
    let twice = Shop::new(2).redis.wait_for_replicas(wire(), 1, TIME);
    assert_eq!(twice.unwrap_err(), WaitRefused::Twice);
    let cluster = over(&Told::cluster(empty)).wait_for_replicas(wire(), 1, TIME);
    assert_eq!(cluster.unwrap_err(), WaitRefused::Cluster);
}
