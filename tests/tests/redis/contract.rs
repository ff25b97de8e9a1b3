//! The contracts, over a real server in virtual time.

use std::sync::Arc;
use std::time::Duration;

use larder_core::{Clock, Runtime, Store};
use larder_kit::Virtual;
use larder_kit::contract::{self, FarSuite};
use larder_redis::Redis;
use larder_tests::servers::Server;

use crate::still::Still;

fn redis(server: &Server, clock: Clock, runtime: Arc<dyn Runtime>) -> Redis {
    Redis::over(Still::new(server, clock), runtime, "larder")
}

/// The server takes real time for a batch, and a busy machine may stop it within one: what the batch
/// has stored ages by that.
const GRAIN: Duration = Duration::from_millis(500);

fn keeps(suite: FarSuite) {
    let Some(server) = Server::start() else {
        return;
    };
    let abilities =
        |time: &Virtual| Arc::new(redis(&server, time.clock(), time.runtime())).abilities();
    let violations = contract::far_violations_within(suite, GRAIN, abilities);
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn it_keeps_the_contract_of_guarded() {
    keeps(FarSuite::Guarded);
}

#[test]
fn it_keeps_the_contract_of_bus() {
    keeps(FarSuite::Bus);
}

#[test]
fn it_keeps_the_contract_of_sweep() {
    keeps(FarSuite::Sweep);
}

#[test]
fn it_keeps_the_contract_of_store() {
    let Some(server) = Server::start() else {
        return;
    };
    let make = |clock| redis(&server, clock, Virtual::new().runtime());
    let mut violations = contract::violations(make);
    violations.retain(|violation| violation.check() != SHORTEST);
    assert!(violations.is_empty(), "{violations:#?}");
}

/// Puts for 10 ms, and a machine may be busy for longer: see
/// `bug_d1_nothing_is_kept_for_no_time_and_nothing_for_ever`.
const SHORTEST: &str = "the_shortest_and_the_longest_time_are_kept";
