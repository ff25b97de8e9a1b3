//! The contracts, over a real server in virtual time.

use std::sync::Arc;

use larder_core::{Clock, Runtime, Store};
use larder_kit::Virtual;
use larder_kit::contract::{self, FarSuite, Violation};
use larder_redis::Redis;
use larder_tests::servers::Server;

use crate::still::Still;

fn redis(server: &Server, clock: Clock, runtime: Arc<dyn Runtime>) -> Redis {
    Redis::over(Still::new(server, clock), runtime, "larder")
}

/// Checks a suite. Where the machine stops a server within a batch for longer than a check of times
/// allows, it is run again.
fn keeps(suite: FarSuite) {
    let Some(server) = Server::start() else {
        return;
    };
    let abilities =
        |time: &Virtual| Arc::new(redis(&server, time.clock(), time.runtime())).abilities();
    once_of_three(|| contract::far_violations(suite, abilities));
}

fn once_of_three(violations: impl Fn() -> Vec<Violation>) {
    let mut seen = Vec::new();
    for _ in 0..3 {
        let all = violations();
        if all.is_empty() {
            return;
        }
        seen.extend(all.iter().map(ToString::to_string));
    }
    panic!("the contract is broken in three runs: {}", seen.join("\n"));
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
    once_of_three(|| contract::violations(make));
}
