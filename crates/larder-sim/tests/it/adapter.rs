//! The adapter over the model: the contract of every far tier, on a single server and on a cluster.

use std::sync::Arc;

use larder_core::Store;
use larder_core::far::Abilities;
use larder_kit::{Virtual, contract};
use larder_redis::Redis;
use larder_sim::Trace;
use larder_sim::network::Network;
use larder_sim::server::Server;

fn over(time: &Virtual, server: &Server) -> Abilities {
    let network = Network::new(time, server, 1, &Trace::off());
    let wire = Arc::new(network.link(1));
    Arc::new(Redis::over(wire, time.runtime(), "larder")).abilities()
}

fn single(time: &Virtual) -> Abilities {
    over(time, &Server::new(time))
}

fn cluster(time: &Virtual) -> Abilities {
    over(time, &Server::cluster(time))
}

/// No call of the engine gets that far: the tags that it knows before a load are its value's.
#[cfg(larder_mutants)]
#[test]
fn the_contract_notices_a_store_beside_the_barriers_that_refuse_it() {
    use larder_core::guards::{Guard, without};
    use larder_kit::contract::{FarSuite, far_violations};
    let look = || far_violations(FarSuite::Guarded, cluster);
    assert!(!without(&[Guard::BarriersFirst], look).is_empty());
}

#[test]
fn a_single_server_keeps_the_contract() {
    contract::guarded(single);
    contract::bus(single);
    contract::sweep(single);
}

#[test]
fn a_cluster_keeps_the_contract() {
    contract::guarded(cluster);
    contract::bus(cluster);
    contract::sweep(cluster);
}
