//! The contracts, over real servers in virtual time.

use std::sync::Arc;
use std::time::Duration;

use larder_core::{Clock, Runtime, Store};
use larder_kit::Virtual;
use larder_kit::contract::{self, FarSuite, Violation};
use larder_redis::Redis;
use larder_servers::{Cluster, Sentinels, Server};

use crate::still::Still;

fn redis(url: &str, clock: Clock, runtime: Arc<dyn Runtime>) -> Redis {
    Redis::over(Still::new(url, clock), runtime, "larder")
}

/// A server takes real time for a batch, and a busy machine may stop it within one: what the batch
/// has stored ages by that.
const GRAIN: Duration = Duration::from_millis(500);

/// Puts for 10 ms, and a machine may be busy for longer: see
/// `bug_d1_nothing_is_kept_for_no_time_and_nothing_for_ever`.
const SHORTEST: &str = "the_shortest_and_the_longest_time_are_kept";

/// What is at this URL keeps the contract of a far tier.
fn keeps(url: &str, suite: FarSuite) {
    let abilities = |time: &Virtual| Arc::new(redis(url, time.clock(), time.runtime())).abilities();
    none(&contract::far_violations_within(suite, GRAIN, abilities));
}

/// What is at this URL keeps the contract of a store.
fn stores(url: &str) {
    let make = |clock| redis(url, clock, Virtual::new().runtime());
    let mut violations = contract::violations(make);
    violations.retain(|violation| violation.check() != SHORTEST);
    none(&violations);
}

fn none(violations: &[Violation]) {
    assert!(violations.is_empty(), "{violations:#?}");
}

/// A test for each contract, over what this starts.
macro_rules! contracts {
    ($place:ident: $start:expr, $url:expr) => {
        mod $place {
            use super::*;

            fn keeps(suite: FarSuite) {
                if let Some(servers) = $start {
                    super::keeps(&$url(&servers), suite);
                }
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
                if let Some(servers) = $start {
                    stores(&$url(&servers));
                }
            }
        }
    };
}

/// Nobody is to take over while the contract is checked.
const LONG: Duration = Duration::from_secs(60);

contracts!(single: Server::start(), Server::socket_url);
contracts!(sentinel: Sentinels::start(LONG), Sentinels::url);
contracts!(cluster: Cluster::start_masters(), Cluster::url);
