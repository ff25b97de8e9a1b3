//! Waiting for replicas, over masters and replicas that these tests start.

use std::sync::Arc;
use std::time::{Duration, Instant};

use larder_core::far::Guarded;
use larder_redis::Redis;
use larder_servers::{Fault, Proxy, Server, until};
use smol::block_on;

use crate::connects::{connect, runtime};
use crate::place::deals;

const TIME: Duration = Duration::from_millis(300);

/// A master and its replica, which is sent changes.
fn pair() -> Option<(Server, Server)> {
    let master = Server::start_with(&["--repl-diskless-sync-delay", "0"])?;
    let replica = Server::start().unwrap();
    replica.follow(&master);
    // It is sent no change before its first acknowledgement, up to a second after it has copied.
    master.ask(&["SET", "larder:deals:5", "x"]).unwrap();
    until("a replica that is sent changes", || {
        let there = replica.ask(&["EXISTS", "larder:deals:5"]).ok()?;
        (there == ["1"]).then_some(())
    });
    Some((master, replica))
}

/// A store that changes here and waits there, for one replica.
fn waiting(changes: &str, waits: &str) -> Redis {
    let redis = Redis::over(Arc::new(connect(changes)), runtime(), "larder");
    let waits = Arc::new(connect(waits));
    redis.wait_for_replicas(waits, 1, TIME).unwrap()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the clock of a cache goes in steps of four milliseconds"
)]
fn change(redis: &Redis) -> Duration {
    let begun = Instant::now();
    block_on(redis.invalidate(&deals(), &[b"5"])).unwrap();
    begun.elapsed()
}

#[test]
fn a_change_waits_for_a_replica_and_no_longer_than_its_time_for_one_that_stands_still() {
    let Some((master, replica)) = pair() else {
        return;
    };
    let redis = waiting(&master.url(), &master.url());
    let taken = change(&redis);
    assert_eq!(redis.counts().unreplicated, 0);
    assert_eq!(replica.ask(&["EXISTS", "larder:deals:5"]).unwrap(), ["0"]);
    replica.pause();
    let late = change(&redis);
    println!("with a replica {taken:?}, with one that stands still {late:?}");
    assert_eq!(redis.counts().unreplicated, 1);
    // The clock that it is measured by moves in steps.
    assert!(late > TIME * 9 / 10, "{late:?}");
    assert_eq!(master.ask(&["EXISTS", "larder:deals:5"]).unwrap(), ["0"]);
    replica.go_on();
    until("a replica that is waited for again", || {
        let before = redis.counts().unreplicated;
        change(&redis);
        (redis.counts().unreplicated == before).then_some(())
    });
}

#[test]
fn a_wait_that_is_swallowed_takes_no_longer_than_its_time() {
    let Some((master, _replica)) = pair() else {
        return;
    };
    let proxy = Proxy::new(master.port());
    let redis = waiting(&master.url(), &proxy.url());
    change(&redis);
    assert_eq!(redis.counts().unreplicated, 0);
    proxy.fault(Fault::Swallow);
    let late = change(&redis);
    // The clock that it is measured by moves in steps.
    assert!(late > TIME * 9 / 10 && late < 5 * TIME, "{late:?}");
    assert_eq!(redis.counts().unreplicated, 1);
}

/// As after a failover that only one of both connections has followed.
#[test]
fn replicas_of_another_master_are_not_taken_for_those_of_the_change() {
    let (Some((old, _replica)), Some((new, _other))) = (pair(), pair()) else {
        return;
    };
    let redis = waiting(&old.url(), &new.url());
    change(&redis);
    assert_eq!(redis.counts().unreplicated, 1);
    // The connection of the changes follows.
    let redis = waiting(&new.url(), &new.url());
    change(&redis);
    assert_eq!(redis.counts().unreplicated, 0);
}
